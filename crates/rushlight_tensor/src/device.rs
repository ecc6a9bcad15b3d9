//! Where a tensor lives. Only the CPU computes today; the other kinds exist so that programs and archives that name
//! them are read, printed and refused by name.

use std::fmt;

/// The kind of a device, with the reference's numbering.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum DeviceKind {
    Cpu = 0,
    Cuda = 1,
    Mkldnn = 2,
    OpenGl = 3,
    OpenCl = 4,
    Ideep = 5,
    Hip = 6,
    Fpga = 7,
    Maia = 8,
    Xla = 9,
    Vulkan = 10,
    Xpu = 12,
    Mps = 13,
    Meta = 14,
    Hpu = 15,
    Ve = 16,
    Lazy = 17,
    Ipu = 18,
    Mtia = 19,
    PrivateUse = 20,
}

/// The kinds and their names, in the order in which messages list them.
const KINDS: &[(DeviceKind, &str)] = &[
    (DeviceKind::Cpu, "cpu"),
    (DeviceKind::Cuda, "cuda"),
    (DeviceKind::Ipu, "ipu"),
    (DeviceKind::Xpu, "xpu"),
    (DeviceKind::Mkldnn, "mkldnn"),
    (DeviceKind::OpenGl, "opengl"),
    (DeviceKind::OpenCl, "opencl"),
    (DeviceKind::Ideep, "ideep"),
    (DeviceKind::Hip, "hip"),
    (DeviceKind::Ve, "ve"),
    (DeviceKind::Fpga, "fpga"),
    (DeviceKind::Maia, "maia"),
    (DeviceKind::Xla, "xla"),
    (DeviceKind::Lazy, "lazy"),
    (DeviceKind::Vulkan, "vulkan"),
    (DeviceKind::Mps, "mps"),
    (DeviceKind::Meta, "meta"),
    (DeviceKind::Hpu, "hpu"),
    (DeviceKind::Mtia, "mtia"),
    (DeviceKind::PrivateUse, "privateuseone"),
];

/// A device: a kind and, where one was given, an index (`cuda:0`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Device {
    /// The kind of the device.
    pub kind: DeviceKind,
    /// The ordinal, `None` where the program did not say one.
    pub index: Option<i8>,
}

impl Device {
    /// The CPU, without an index.
    pub const CPU: Device = Device {
        kind: DeviceKind::Cpu,
        index: None,
    };

    /// Where tensors live that have no elements.
    pub const META: Device = Device {
        kind: DeviceKind::Meta,
        index: None,
    };

    /// Refuses devices that cannot hold tensors.
    pub fn check_available(self) -> crate::Result<()> {
        match self.is_cpu() {
            true => Ok(()),
            false => Err(crate::Fault::runtime(format!(
                "device '{self}' is not available: tensors live on the CPU"
            ))),
        }
    }

    /// Reads `cpu`, `cuda`, `cuda:1`, ... Errors carry the reference's wording.
    pub fn parse(text: &str) -> crate::Result<Device> {
        let (kind, index) = match text.split_once(':') {
            Some((kind, index)) => (kind, Some(index)),
            None => (text, None),
        };
        let invalid = || crate::Fault::runtime(format!("Invalid device string: '{text}'"));
        let kind = match KINDS.iter().find(|(_, name)| *name == kind) {
            Some((kind, _)) => *kind,
            None if text.is_empty() => {
                return Err(crate::Fault::runtime("Device string must not be empty"));
            }
            None if kind.chars().all(|c| c.is_ascii_alphabetic() || c == '_') => {
                let known: Vec<&str> = KINDS.iter().map(|(_, name)| *name).collect();
                return Err(crate::Fault::runtime(format!(
                    "Expected one of {} device type at start of device string: {kind}",
                    known.join(", ")
                )));
            }
            None => return Err(invalid()),
        };
        let index = match index {
            None => None,
            Some(digits) if digits.len() > 1 && digits.starts_with('0') => return Err(invalid()),
            Some(digits) => Some(
                digits
                    .parse::<i8>()
                    .ok()
                    .filter(|i| *i >= 0)
                    .ok_or_else(invalid)?,
            ),
        };
        Ok(Device { kind, index })
    }

    /// The name of the kind: `cpu`, `cuda`, ...
    pub fn kind_name(&self) -> &'static str {
        KINDS
            .iter()
            .find(|(kind, _)| *kind == self.kind)
            .map_or("cpu", |(_, name)| name)
    }

    /// Whether this is the CPU.
    pub fn is_cpu(&self) -> bool {
        self.kind == DeviceKind::Cpu
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "{}:{index}", self.kind_name()),
            None => f.write_str(self.kind_name()),
        }
    }
}
