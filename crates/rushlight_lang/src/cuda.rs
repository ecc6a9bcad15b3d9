//! What scripts say of CUDA devices. There are none here: it compiles, as branches for such devices do in programs that
//! run on the CPU, and refuses to run.

use rushlight_tensor::{Device, Fault, Result};
use rushlight_types::{Effect, Object, op, operators};
use std::sync::Arc;

/// A stream or an event, of which there are none.
type Handle = Arc<Object>;

operators! {
    /// `torch.cuda.synchronize()` and its kin; streams and events have methods by operators (`native.rs`).
    pub static ROWS = [
        op!("cuda::synchronize() -> ()", || absent::<()>()).effect(Effect::SideEffect),
        op!("cuda::synchronize.device(Device? device) -> ()", |_: Option<Device>| absent::<()>()).effect(Effect::SideEffect),
        op!("cuda::synchronize.int(int? val) -> ()", |_: Option<i64>| absent::<()>()).effect(Effect::SideEffect),
        op!("cuda::current_stream.device(Device? device) -> __torch__.torch.classes.cuda.Stream", |_: Option<Device>| absent::<Handle>()).effect(Effect::SideEffect),
        op!("cuda::current_stream.int(int? val) -> __torch__.torch.classes.cuda.Stream", |_: Option<i64>| absent::<Handle>()).effect(Effect::SideEffect),
        op!("cuda::default_stream.device(Device? device) -> __torch__.torch.classes.cuda.Stream", |_: Option<Device>| absent::<Handle>()).effect(Effect::SideEffect),
        op!("cuda::default_stream.int(int? val) -> __torch__.torch.classes.cuda.Stream", |_: Option<i64>| absent::<Handle>()).effect(Effect::SideEffect),
        op!("cuda::set_stream(__torch__.torch.classes.cuda.Stream stream) -> ()", |_: &Handle| absent::<()>()).effect(Effect::SideEffect),
        op!("cuda::_current_device() -> int", || absent::<i64>()).effect(Effect::SideEffect),
        op!("cuda::_set_device(int val) -> ()", |_: i64| absent::<()>()).effect(Effect::SideEffect),
        op!("cuda::Event(bool enable_timing=False, bool blocking=False, bool interprocess=False) -> __torch__.torch.classes.cuda.Event", |_: bool, _: bool, _: bool| absent::<Handle>()).effect(Effect::SideEffect),
        op!("cuda::event_record(__torch__.torch.classes.cuda.Event self, __torch__.torch.classes.cuda.Stream stream) -> ()", |_: &Handle, _: &Handle| absent::<()>()).effect(Effect::SideEffect),
        op!("cuda::event_wait(__torch__.torch.classes.cuda.Event self, __torch__.torch.classes.cuda.Stream stream) -> ()", |_: &Handle, _: &Handle| absent::<()>()).effect(Effect::SideEffect),
        op!("cuda::event_query(__torch__.torch.classes.cuda.Event self) -> bool", |_: &Handle| absent::<bool>()).effect(Effect::SideEffect),
        op!("cuda::event_synchronize(__torch__.torch.classes.cuda.Event self) -> ()", |_: &Handle| absent::<()>()).effect(Effect::SideEffect),
        op!("cuda::event_elapsed_time(__torch__.torch.classes.cuda.Event self, __torch__.torch.classes.cuda.Event end) -> float", |_: &Handle, _: &Handle| absent::<f64>()).effect(Effect::SideEffect),
        op!("cuda::Stream(Device? device=None, int priority=0) -> __torch__.torch.classes.cuda.Stream", |_: Option<Device>, _: i64| absent::<Handle>()).effect(Effect::SideEffect),
        op!("cuda::stream_query(__torch__.torch.classes.cuda.Stream self) -> bool", |_: &Handle| absent::<bool>()).effect(Effect::SideEffect),
        op!("cuda::stream_synchronize(__torch__.torch.classes.cuda.Stream self) -> ()", |_: &Handle| absent::<()>()).effect(Effect::SideEffect),
        op!("cuda::stream_wait_stream(__torch__.torch.classes.cuda.Stream self, __torch__.torch.classes.cuda.Stream other) -> ()", |_: &Handle, _: &Handle| absent::<()>()).effect(Effect::SideEffect),
        op!("cuda::stream_wait_event(__torch__.torch.classes.cuda.Stream self, __torch__.torch.classes.cuda.Event event) -> ()", |_: &Handle, _: &Handle| absent::<()>()).effect(Effect::SideEffect),
        op!("cuda::stream_record_event(__torch__.torch.classes.cuda.Stream self, __torch__.torch.classes.cuda.Event event) -> ()", |_: &Handle, _: &Handle| absent::<()>()).effect(Effect::SideEffect),
    ];
}

fn absent<T>() -> Result<T> {
    Err(Fault::runtime(
        "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx",
    ))
}
