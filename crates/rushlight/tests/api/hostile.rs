//! Archives that somebody made to do harm: what each gets. Nothing panics, nothing is read outside the file's own data,
//! nothing outside the process is touched.

use crate::support::context;
use rushlight::archive::zip::Writer;
use rushlight::{DType, Module, Tensor, Value};

/// The pickle of a module without attributes but `training`.
const DATA: &[u8] =
    b"\x80\x02c__torch__\nM\nq\x00)\x81}(X\x08\x00\x00\x00trainingq\x01\x88ubq\x02.";

fn archive(methods: &str, data: &[u8], attributes: &str, records: &[(&str, &[u8])]) -> Vec<u8> {
    let code = format!(
        "class M(Module):\n  __parameters__ = []\n  training : bool\n{attributes}{methods}"
    );
    let mut zip = Writer::new("archive");
    for (name, bytes) in records {
        zip.add_stored(name, bytes).unwrap();
    }
    zip.add_stored("data.pkl", data).unwrap();
    zip.add_code("code/__torch__.py", code.as_bytes()).unwrap();
    zip.add_stored("constants.pkl", b"\x80\x02).").unwrap();
    zip.add_stored("version", b"3\n").unwrap();
    zip.finish()
}

fn load(bytes: Vec<u8>) -> Result<Module, String> {
    rushlight::load_bytes(bytes.into(), context().into()).map_err(|e| e.to_string())
}

/// What a module answers whose `forward` has this body.
fn run(body: &str) -> Result<Value, String> {
    let forward = format!("  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n{body}\n");
    let module = load(archive(&forward, DATA, "", &[]))?;
    let x = Tensor::from_vec(vec![1f32; 4], &[2, 2]).unwrap();
    module
        .forward(&[x.into()])
        .map_err(|e| e.message().to_string())
}

#[test]
fn views_cannot_leave_their_storage() {
    for call in [
        "torch.as_strided(x, [1000000], [1], 0)",
        "torch.as_strided(x, [2], [1], 1000000)",
        "torch.as_strided(x, [2], [-1], 1)",
        "torch.as_strided(x, [2], [1], -8)",
        "torch.fill_(torch.as_strided(x, [1000000], [1], 0), 1)",
        "torch.as_strided(x, [4611686018427387904], [4611686018427387904], 0)",
        "torch.unfold(x, 0, 1000, 1)",
        "torch.select(x, 0, 7)",
        "torch.gather(x, 0, torch.tensor([[100, -5]]))",
        "torch.index(x, [torch.tensor([100])])",
        "torch.embedding(x, torch.tensor([100]))",
        "torch.put_(x, torch.tensor([100]), torch.ones([1]))",
        "torch.scatter(x, 0, torch.tensor([[100, 1]]), 1.)",
        "torch.take(x, torch.tensor([-100]))",
        "torch.index_add(x, 0, torch.tensor([7]), torch.ones([1, 2]))",
        "torch.index_copy(x, 0, torch.tensor([7]), torch.ones([1, 2]))",
        "torch.max_unpool2d(torch.ones([1, 1, 2, 2]), torch.full([1, 1, 2, 2], 1000, dtype=4), [4, 4])",
    ] {
        assert!(run(&format!("    return {call}")).is_err(), "{call}");
    }
}

#[test]
fn sizes_that_no_machine_has_are_errors() {
    let wide = "torch.expand(torch.ones([1]), [1000000000000])";
    for call in [
        "torch.zeros([1000000000000])".to_string(),
        "torch.zeros([4611686018427387904, 4])".into(),
        "torch.resize_(x, [1000000000000])".into(),
        "torch.repeat(x, [1000000, 1000000])".into(),
        "torch.tile(x, [1000000000000])".into(),
        "torch.one_hot(torch.tensor([0]), 1000000000000)".into(),
        "torch.constant_pad_nd(x, [1000000000000, 0], 0)".into(),
        "torch.linspace(0, 1, 1000000000000)".into(),
        "torch.arange(1000000000000)".into(),
        "torch.eye(10000000)".into(),
        "torch.rand([1000000000000])".into(),
        "torch.bincount(torch.tensor([1000000000000]))".into(),
        "torch.histc(x, 1000000000000)".into(),
        "torch.real(torch.fft_fft(x, 1000000000000))".into(),
        "torch.upsample_nearest2d(torch.ones([1, 1, 2, 2]), [1000000, 1000000])".into(),
        "torch.conv2d(torch.ones([1, 1, 2, 2]), torch.ones([1, 1, 1, 1]), None, [1, 1], [1000000000, 1000000000], [1, 1], 1)".into(),
        "torch.outer(torch.ones([1000000]), torch.ones([1000000]))".into(),
        format!("torch.clone({wide})"),
        format!("torch.contiguous({wide})"),
        format!("torch.add({wide}, 1)"),
        format!("torch.to({wide}, 7)"),
        format!("torch.cumsum({wide}, 0)"),
        format!("torch.argsort({wide})"),
        format!("torch.split({wide}, 1)[0]"),
        format!("torch.unbind({wide})[0]"),
        format!("torch.chunk({wide}, 1000000000000)[0]"),
    ] {
        assert!(run(&format!("    return {call}")).is_err(), "{call}");
    }
}

#[test]
fn nothing_outside_the_process_is_reached() {
    for call in ["torch.load(\"/etc/passwd\")", "ops.prim.system(\"ls\")"] {
        let error = run(&format!("    return {call}")).unwrap_err();
        assert!(error.contains("Unknown builtin op"), "{call}: {error}");
    }
    for call in [
        "torch.from_file(\"/etc/passwd\", False, 10, dtype=0)",
        "torch.from_file(\"/etc/passwd\", size=1)",
        "torch.zeros_like(torch.from_file(\"a\"))",
        "torch.save(x, \"kept\")",
    ] {
        let body = format!("    y = {call}\n    return x");
        let error = run(&body).unwrap_err();
        assert!(error.contains("is refused"), "{call}: {error}");
        assert!(error.contains("allow_files"), "{call}: {error}");
    }
    let global = b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.";
    let error = load(archive("", global, "", &[])).err().unwrap();
    assert!(error.contains("os.system"), "{error}");
}

#[test]
fn loops_end_at_the_limits_of_the_context() {
    let endless =
        "    i = 0\n    while True:\n      i = torch.add(i, 1)\n      print(i)\n    return x";
    assert!(run(endless).is_err());
    let set_state = "  def __setstate__(self: __torch__.M,\n    s: int) -> NoneType:\n    i = 0\n    while True:\n      i = torch.add(i, 1)\n      print(i)\n    return None\n";
    let data = b"\x80\x02c__torch__\nM\nq\x00)\x81K\x03b.";
    assert!(load(archive(set_state, data, "", &[])).is_err());
    assert!(run("    return (self).forward(x, )").is_err());
}

/// `training`, and a tensor of four elements in `data/0` with these sizes.
fn with_tensor(storage: &str, size: u8) -> Vec<u8> {
    let mut data = b"\x80\x02c__torch__\nM\n)\x81}(X\x08\x00\x00\x00training\x88X\x01\x00\x00\x00wctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\n".to_vec();
    data.extend(format!("{storage}\n").bytes());
    data.extend(b"X\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x04tQK\x00(K");
    data.push(size);
    data.extend(b"t(K\x01t\x89ccollections\nOrderedDict\n)RtRub.");
    data
}

#[test]
fn tensors_of_the_file_stay_inside_their_records() {
    let forward =
        "  def forward(self: __torch__.M) -> Tensor:\n    w = self.w\n    return torch.to(w, 6)\n";
    let records: &[(&str, &[u8])] = &[("data/0", b"\x07\xff\x02\x80")];
    let far = archive(
        forward,
        &with_tensor("FloatStorage", 200),
        "  w : Tensor\n",
        records,
    );
    assert!(load(far).is_err());
    // Bytes that are no bools count as true wherever they are read.
    let odd = archive(
        forward,
        &with_tensor("BoolStorage", 4),
        "  w : Tensor\n",
        records,
    );
    let result = load(odd).unwrap().forward(&[]).unwrap();
    let tensor = result.as_tensor().unwrap();
    assert_eq!(tensor.dtype(), DType::F32);
    assert_eq!(tensor.to_vec::<f32>(), [1.0; 4]);
}

#[test]
fn broken_pickles_and_cut_files_are_refused() {
    let deep: Vec<u8> = [&b"\x80\x02"[..], &[b']'; 100_000], &[b'a'; 99_999], b"."].concat();
    let memo = b"\x80\x02K\x01r\xff\xff\xff\xff.".to_vec();
    let cycle = b"\x80\x02]q\x00h\x00a.".to_vec();
    for data in [deep, memo, cycle, Vec::new(), b"\x80\x02.".to_vec()] {
        assert!(load(archive("", &data, "", &[])).is_err());
    }
    let whole = archive("", DATA, "", &[]);
    for length in (0..whole.len()).step_by(37) {
        assert!(load(whole[..length].to_vec()).is_err(), "{length}");
    }
}

#[test]
fn files_are_reached_below_the_allowed_folder_only() {
    let folder = std::env::temp_dir().join(format!("rushlight_files_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("numbers"), 1.5f32.to_le_bytes()).unwrap();
    let forward = "  def forward(self: __torch__.M,\n    name: str) -> Tensor:\n    x = torch.from_file(name, size=1)\n    torch.save(x, \"kept\")\n    return x\n";
    let own_context = std::sync::Arc::new(context());
    let bytes = archive(forward, DATA, "", &[]);
    let module = rushlight::load_bytes(bytes.into(), own_context.clone()).unwrap();
    let read = |name: &str| module.forward(&[Value::str(name)]);
    let error = read("numbers").unwrap_err();
    let shown = rushlight::runtime::error_text(&error);
    assert!(shown.contains("aten::from_file is refused"), "{shown}");
    assert!(
        shown.contains("code/__torch__.py"),
        "where it stands: {shown}"
    );
    own_context.allow_files(Some(std::sync::Arc::new(rushlight::Folder::new(&folder))));
    let tensor = read("numbers").unwrap();
    assert_eq!(tensor.as_tensor().unwrap().to_vec::<f32>(), [1.5]);
    assert!(folder.join("kept").exists());
    for name in ["../numbers", "/etc/passwd", "none", "a/../../b", ""] {
        assert!(read(name).is_err(), "{name}");
    }
    own_context.allow_files(None);
    assert!(read("numbers").is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn tensors_share_files_of_the_allowed_folder_only() {
    let folder = std::env::temp_dir().join(format!("rushlight_shared_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let forward = "  def forward(self: __torch__.M,\n    name: str) -> Tensor:\n    x = torch.from_file(name, True, 3)\n    x = torch.add_(x, 1)\n    y = torch.from_file(name, None, 2, out=torch.zeros([5], dtype=3))\n    torch.add_(x, 1)\n    return torch.cat([torch.to(x, 7), torch.to(y, 7)])\n";
    let own_context = std::sync::Arc::new(context());
    let bytes = archive(forward, DATA, "", &[]);
    let module = rushlight::load_bytes(bytes.into(), own_context.clone()).unwrap();
    let run = |name: &str| module.forward(&[Value::str(name)]);
    own_context.allow_files(Some(std::sync::Arc::new(rushlight::Folder::new(&folder))));
    let one = f64::from(1f32.to_bits());
    let result = run("made").unwrap();
    assert_eq!(
        result.as_tensor().unwrap().to_vec::<f64>(),
        [2.0, 2.0, 2.0, one, one]
    );
    let whole = folder.join("made");
    assert_eq!(std::fs::read(&whole).unwrap(), [0, 0, 0, 64].repeat(3));
    assert!(run(whole.to_str().unwrap()).is_ok(), "a whole path to it");
    for name in ["../made", "/etc/hostname", "made/more", ""] {
        assert!(run(name).is_err(), "{name}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn states_are_restored_without_files() {
    let set_state = "  def __setstate__(self: __torch__.M,\n    s: int) -> NoneType:\n    torch.save(s, \"kept\")\n    return None\n";
    let data = b"\x80\x02c__torch__\nM\nq\x00)\x81K\x03b.";
    let error = load(archive(set_state, data, "", &[])).err().unwrap();
    assert!(error.contains("aten::save is refused"), "{error}");
}
