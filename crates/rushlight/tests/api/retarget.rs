//! Models made for another device or precision.

use rushlight::{DType, Device, Target, Tensor};

const SOURCE: &str = "import torch
def forward(x: torch.Tensor):
    y = x.to(torch.float16) + torch.zeros([2], dtype=torch.float16, device='cuda:0')
    return y, torch.arange(5)
";

#[test]
fn devices_and_dtypes_in_code_are_rewritten() {
    let module = rushlight::compile(SOURCE).unwrap().module(None).unwrap();
    let x = Tensor::from_vec(vec![1f32, 2.0], &[2]).unwrap();
    assert!(
        module.forward(&[x.clone().into()]).is_err(),
        "there is no such device"
    );
    let target = Target {
        device: Some(Device::CPU),
        dtype: Some(DType::F32),
    };
    let changes = module.retarget(&target).to_string();
    assert!(changes.contains("device cuda:0 became cpu"), "{changes}");
    assert!(changes.contains("float16"), "{changes}");
    let result = module.forward(&[x.into()]).unwrap();
    let text = format!("{result:?}");
    assert!(!text.contains("Half"), "{text}");
    // The numbers that are no dtypes stay what they were.
    assert!(text.contains(" 4"), "{text}");
    assert!(module.retarget(&target).is_empty());
}
