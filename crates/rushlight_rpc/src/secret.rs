//! What the members of a group know and strangers do not, and what is computed with it. It never travels itself.

use hmac::{Hmac, KeyInit, Mac};
use rushlight_tensor::{Fault, Result};
use sha2::Sha256;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Bytes of a key, of a number used once, and of a tag.
pub(crate) const SIZE: usize = 32;
/// Whoever has recorded a handshake may guess at leisure, so that a short secret is none.
const SHORTEST: usize = 16;
const LONGEST: usize = 4096;

/// The variable that holds the secret of a group.
const VARIABLE: &str = "RUSHLIGHT_RPC_SECRET";
/// The variable that names the file that holds it.
const FILE_VARIABLE: &str = "RUSHLIGHT_RPC_SECRET_FILE";

/// The secret of a group.
#[derive(Clone)]
pub struct Secret(Arc<[u8]>);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl Secret {
    /// A secret of 16 to 4096 bytes.
    pub fn new(bytes: &[u8]) -> Result<Secret> {
        if !(SHORTEST..=LONGEST).contains(&bytes.len()) {
            return Err(Fault::value(format!(
                "the secret of a group has {SHORTEST} to {LONGEST} bytes, this one has {}",
                bytes.len()
            )));
        }
        Ok(Secret(bytes.into()))
    }

    /// The secret that `RUSHLIGHT_RPC_SECRET` holds, or the file that `RUSHLIGHT_RPC_SECRET_FILE` names; `None` where
    /// neither is set.
    pub fn from_environment() -> Result<Option<Secret>> {
        match (std::env::var_os(VARIABLE), std::env::var_os(FILE_VARIABLE)) {
            (None, None) => Ok(None),
            (Some(_), Some(_)) => Err(Fault::value(format!(
                "{VARIABLE} and {FILE_VARIABLE} are both set: a group has one secret"
            ))),
            (Some(text), None) => {
                let text = text
                    .into_string()
                    .map_err(|_| Fault::value(format!("{VARIABLE} is not UTF-8")))?;
                let secret = Secret::new(text.trim().as_bytes());
                secret
                    .map(Some)
                    .map_err(|fault| Fault::value(format!("{VARIABLE}: {}", fault.message())))
            }
            (None, Some(path)) => Secret::from_file(Path::new(&path)).map(Some),
        }
    }

    /// The secret that a file holds, which nobody but its owner may read; blanks around it do not count.
    pub fn from_file(path: &Path) -> Result<Secret> {
        let wrong = |what: &dyn std::fmt::Display| {
            Fault::value(format!("the secret in {}: {what}", path.display()))
        };
        let file = std::fs::File::open(path).map_err(|error| wrong(&error))?;
        let facts = file.metadata().map_err(|error| wrong(&error))?;
        if !facts.is_file() {
            return Err(wrong(&"this is no file"));
        }
        #[cfg(unix)]
        if std::os::unix::fs::PermissionsExt::mode(&facts.permissions()) & 0o077 != 0 {
            return Err(wrong(
                &"other users of this machine can read or write the file; `chmod 600` keeps them out",
            ));
        }
        let mut bytes = Vec::new();
        let most = LONGEST as u64 + 64;
        std::io::Read::read_to_end(&mut std::io::Read::take(file, most), &mut bytes)
            .map_err(|error| wrong(&error))?;
        Secret::new(bytes.trim_ascii()).map_err(|fault| wrong(&fault.message()))
    }

    /// A secret that nobody knows yet.
    pub(crate) fn random() -> Result<Secret> {
        Ok(Secret(random()?[..].into()))
    }

    /// As text, for a file that nobody else can read.
    #[cfg(unix)]
    pub(crate) fn hex(&self) -> String {
        hex(&self.0)
    }

    /// The secret of such a text.
    #[cfg(unix)]
    pub(crate) fn of_hex(text: &str) -> Option<Secret> {
        Some(Secret(of_hex(text)?[..].into()))
    }

    /// The key for one purpose.
    pub(crate) fn key(&self, purpose: &str, parts: &[&[u8]]) -> Key {
        Key(tag(&self.0, purpose, parts))
    }
}

/// A key that was derived from a secret.
#[derive(Clone)]
pub(crate) struct Key([u8; SIZE]);

impl Key {
    /// Another key.
    pub fn key(&self, purpose: &str, parts: &[&[u8]]) -> Key {
        Key(tag(&self.0, purpose, parts))
    }

    /// What only those who know the key can say about `parts`.
    pub fn tag(&self, purpose: &str, parts: &[&[u8]]) -> [u8; SIZE] {
        tag(&self.0, purpose, parts)
    }

    /// Whether somebody who knows the key said `claimed`; takes equally long wherever it differs.
    pub fn verify(&self, claimed: &[u8], purpose: &str, parts: &[&[u8]]) -> bool {
        hasher(&self.0, purpose, parts)
            .verify_slice(claimed)
            .is_ok()
    }
}

fn tag(key: &[u8], purpose: &str, parts: &[&[u8]]) -> [u8; SIZE] {
    hasher(key, purpose, parts).finalize().into_bytes().into()
}

/// Lengths stand before the parts, so that no two lists of parts give the same bytes.
fn hasher(key: &[u8], purpose: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
    let mut hasher = Hmac::<Sha256>::new_from_slice(key).expect("keys of any length will do");
    for part in [purpose.as_bytes()].iter().chain(parts) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher
}

/// Bytes that nobody can guess, from the system.
pub(crate) fn random() -> Result<[u8; SIZE]> {
    let mut bytes = [0; SIZE];
    getrandom::getrandom(&mut bytes)
        .map_err(|error| Fault::runtime(format!("the system gives no random bytes: {error}")))?;
    Ok(bytes)
}

/// Two digits per byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The 32 bytes of 64 digits.
pub(crate) fn of_hex(text: &str) -> Option<[u8; SIZE]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * SIZE {
        return None;
    }
    let mut bytes = [0; SIZE];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |d: u8| char::from(d).to_digit(16);
        *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{Secret, hex, of_hex, random};

    #[test]
    fn tags_are_those_of_hmac_sha_256() {
        // RFC 4231, test case 2, with the lengths that stand before the parts taken into account.
        let tag = hex(&super::tag(b"Jefe", "what do ya want ", &[b"for nothing?"]));
        let mut message = Vec::new();
        for part in [&b"what do ya want "[..], b"for nothing?"] {
            message.extend((part.len() as u64).to_le_bytes());
            message.extend(part);
        }
        use hmac::{Hmac, KeyInit, Mac};
        let mut plain = Hmac::<sha2::Sha256>::new_from_slice(b"Jefe").unwrap();
        plain.update(&message);
        assert_eq!(tag, hex(&plain.finalize().into_bytes()));
        let mut known = Hmac::<sha2::Sha256>::new_from_slice(b"Jefe").unwrap();
        known.update(b"what do ya want for nothing?");
        assert_eq!(
            hex(&known.finalize().into_bytes()),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn purposes_and_parts_tell_tags_apart() {
        let key = Secret::new(&[7; 16]).unwrap().key("one", &[]);
        let tag = key.tag("a", &[b"bc", b"d"]);
        assert!(key.verify(&tag, "a", &[b"bc", b"d"]));
        assert!(!key.verify(&tag, "a", &[b"b", b"cd"]));
        assert!(!key.verify(&tag, "ab", &[b"c", b"d"]));
        assert!(!key.verify(&tag[..31], "a", &[b"bc", b"d"]));
        assert!(!key.verify(&[], "a", &[b"bc", b"d"]));
    }

    #[test]
    fn short_secrets_are_none() {
        assert!(Secret::new(b"fifteen bytes..").is_err());
        assert!(Secret::new(&[0; 4097]).is_err());
        assert_eq!(
            format!("{:?}", Secret::new(b"sixteen bytes...").unwrap()),
            "Secret(..)"
        );
    }

    #[test]
    fn digits_and_bytes() {
        let bytes = random().unwrap();
        assert_ne!(bytes, random().unwrap());
        assert_eq!(of_hex(&hex(&bytes)), Some(bytes));
        assert_eq!(of_hex("0"), None);
        assert_eq!(of_hex(&"é".repeat(32)), None);
    }

    #[cfg(unix)]
    #[test]
    fn files_that_others_can_read_hold_no_secrets() {
        use std::os::unix::fs::PermissionsExt;
        let path = std::env::temp_dir().join(format!("rushlight_secret_{}", std::process::id()));
        std::fs::write(&path, "a secret of many letters\n").unwrap();
        let mode = |mode| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            Secret::from_file(&path)
        };
        for open in [0o640, 0o604, 0o620, 0o666] {
            let fault = mode(open).unwrap_err();
            assert!(fault.message().contains("chmod 600"), "{}", fault.message());
        }
        assert_eq!(&*mode(0o600).unwrap().0, b"a secret of many letters");
        std::fs::write(&path, "short\n").unwrap();
        assert!(mode(0o400).is_err());
        std::fs::remove_file(&path).unwrap();
        assert!(Secret::from_file(&path).is_err());
        assert!(Secret::from_file(&std::env::temp_dir()).is_err());
    }
}
