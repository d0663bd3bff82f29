//! Property test with what a foreign process may say: nothing panics, and what is taken is right.

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use crate::tls::Shown;

#[path = "../../fuzz/link.rs"]
mod link;

/// A small generator: the same values for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most + 1)).map(|_| self.below(256) as u8).collect()
    }
}

#[test]
fn any_bytes_are_refused_or_are_right() {
    const ROUNDS: usize = 60_000;
    let (mut random, mut taken) = (Random(3), [0; 6]);
    for round in 0..ROUNDS {
        let bytes = random.bytes(40);
        let bytes = if round % 6 == 0 { bytes } else { link::mutated(&bytes[..bytes.len().min(1 + round % 7 * 3)]) };
        for (count, is) in taken.iter_mut().zip(link::read(&bytes)) {
            *count += usize::from(is);
        }
    }
    for (reader, count) in ["greeting", "batch", "key", "rights", "file", "environment"].into_iter().zip(taken) {
        assert!(
            (500..ROUNDS / 2).contains(&count),
            "the {reader} takes {count} of {ROUNDS}, so one side is hardly tried"
        );
    }
}

/// Each bit of a certificate changed, and the certificate cut at each place. A signature that does not fit is found elsewhere.
#[test]
fn a_certificate_that_is_changed_is_refused_with_the_reason_or_read() {
    let key = rcgen::KeyPair::generate().unwrap();
    let mut params = rcgen::CertificateParams::new(["host".to_owned()]).unwrap();
    params.subject_alt_names.push(rcgen::SanType::URI("supervise://host-7@prod/node/worker".try_into().unwrap()));
    let pem = params.self_signed(&key).unwrap().pem();
    let whole = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    let granted = |bytes: &[u8]| Shown::new(Some(&[CertificateDer::from(bytes.to_vec())]), None).map(|shown| shown.1);
    let of = granted(&whole).unwrap();
    for cut in 0..whole.len() {
        assert!(!granted(&whole[..cut]).unwrap_err().is_empty());
    }
    let (mut refused, mut same, mut others) = (0, 0, 0);
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.to_vec();
            bytes[at] ^= 1 << bit;
            match granted(&bytes) {
                Ok(other) if other == of => same += 1,
                Ok(_) => others += 1,
                Err(why) => {
                    assert!(!why.is_empty());
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 100 && same > 100 && others > 10, "{refused} refused, {same} the same, {others} others");
    assert!(Shown::new(Some(&[]), None).is_err() && Shown::new(None, None).is_err());
}
