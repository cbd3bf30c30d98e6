//! The keys with which an owner signs.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey};
use ed25519_dalek::{Signature, Signer, VerifyingKey};
use veil_graph::bytes::{from_hex, hex};
use zeroize::Zeroizing;

use super::IntegrityError;

/// An Ed25519 signing key (RFC 8032), in files as PKCS#8 PEM. It is wiped when dropped and never
/// shown.
pub struct SigningKey(ed25519_dalek::SigningKey);

/// The public half of a [`SigningKey`], in files as PEM, shown as 64 hexadecimal digits. The bytes
/// are those of a valid key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

impl SigningKey {
    /// A fresh key from the operating system.
    ///
    /// # Errors
    /// If the operating system's random source fails.
    pub fn from_os() -> Result<SigningKey, IntegrityError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed).map_err(|source| IntegrityError::NoRandomness { source })?;
        Ok(SigningKey(ed25519_dalek::SigningKey::from_bytes(&seed)))
    }

    /// Reads a key file.
    ///
    /// # Errors
    /// If it cannot be read, or is not an Ed25519 key in PKCS#8 PEM.
    pub fn read(path: &Path) -> Result<SigningKey, IntegrityError> {
        let text = Zeroizing::new(std::fs::read_to_string(path).map_err(IntegrityError::io(path))?);
        let key = ed25519_dalek::SigningKey::from_pkcs8_pem(&text);
        key.map(SigningKey).map_err(|_| not_a_key(path, "an Ed25519 private key in PEM (PKCS#8)"))
    }

    /// The content of its file. It is secret.
    ///
    /// # Errors
    /// If it cannot be encoded, which does not occur.
    pub fn to_pem(&self) -> Result<Zeroizing<String>, IntegrityError> {
        self.0.to_pkcs8_pem(LineEnding::LF).map_err(|_| not_a_key(Path::new("the key"), "encodable"))
    }

    /// Its public half.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    pub(super) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.public())
    }
}

impl PublicKey {
    /// Reads a key file.
    ///
    /// # Errors
    /// If it cannot be read, or is not an Ed25519 public key in PEM.
    pub fn read(path: &Path) -> Result<PublicKey, IntegrityError> {
        let text = std::fs::read_to_string(path).map_err(IntegrityError::io(path))?;
        let key = VerifyingKey::from_public_key_pem(&text);
        let key = key.map_err(|_| not_a_key(path, "an Ed25519 public key in PEM"))?;
        Ok(PublicKey(key.to_bytes()))
    }

    /// The content of its file.
    ///
    /// # Errors
    /// If it cannot be encoded, which does not occur.
    pub fn to_pem(&self) -> Result<String, IntegrityError> {
        let key = VerifyingKey::from_bytes(&self.0).ok();
        let text = key.and_then(|key| key.to_public_key_pem(LineEnding::LF).ok());
        text.ok_or_else(|| not_a_key(Path::new("the key"), "encodable"))
    }

    /// Whether this key made a signature of a message. Strict: a signature fits one key only.
    pub(super) fn verifies(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        let verified = |key: VerifyingKey| key.verify_strict(message, &Signature::from_bytes(signature)).is_ok();
        VerifyingKey::from_bytes(&self.0).is_ok_and(verified)
    }
}

impl FromStr for PublicKey {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<PublicKey, &'static str> {
        let key = from_hex::<32>(text).filter(|bytes| VerifyingKey::from_bytes(bytes).is_ok());
        key.map(PublicKey).ok_or("the public key is not an Ed25519 key of 64 hexadecimal digits")
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

fn not_a_key(path: &Path, expected: &str) -> IntegrityError {
    IntegrityError::Malformed { path: path.to_owned(), problem: format!("this is not {expected}") }
}
