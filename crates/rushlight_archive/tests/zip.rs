//! Zip archives: what is read, what is written, what is refused.

mod support;

use rushlight_archive::bytes::Bytes;
use rushlight_archive::zip::{ALIGNMENT, Archive, Compression, Limits, Problem, Writer};
use support::{XorShift, assets, layout, layout_zips, open};

fn problem(bytes: Vec<u8>) -> Problem {
    problem_within(bytes, &Limits::default())
}

fn problem_within(bytes: Vec<u8>, limits: &Limits) -> Problem {
    Archive::open(Bytes::from(bytes), limits)
        .expect_err("the archive should be refused")
        .problem
}

fn small() -> Vec<u8> {
    let mut writer = Writer::new("small");
    writer.add_stored("data/0", &[7; 12]).unwrap();
    writer
        .add_code("code/__torch__.py", "x = 1\n".repeat(60).as_bytes())
        .unwrap();
    writer.add_stored("version", b"3\n").unwrap();
    writer.finish()
}

/// Replaces the last occurrence of `from`.
fn patch(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = bytes
        .windows(from.len())
        .rposition(|window| window == from)
        .expect("nothing to patch");
    bytes[at..at + from.len()].copy_from_slice(to);
    bytes
}

/// Offset of the directory entry of the record with this full name.
fn directory_entry(bytes: &[u8], name: &[u8]) -> usize {
    let is_entry =
        |at: &usize| bytes[*at..].starts_with(b"PK\x01\x02") && bytes[*at + 46..].starts_with(name);
    (0..bytes.len() - 46)
        .rev()
        .find(is_entry)
        .expect("no such entry")
}

fn set32(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn rewrite(archive: &Archive) -> Vec<u8> {
    let mut writer = Writer::new(archive.prefix().trim_end_matches('/'));
    for entry in archive.entries() {
        let name = &entry.name()[archive.prefix().len()..];
        writer
            .add(
                name,
                &archive.read(name).unwrap(),
                entry.compression(),
                ALIGNMENT,
            )
            .unwrap();
    }
    writer.finish()
}

#[test]
fn an_archive_written_again_has_the_same_bytes() {
    for (name, bytes) in layout_zips() {
        assert!(rewrite(&open(bytes.clone())) == bytes, "{name}");
    }
    for (name, bytes) in assets() {
        let archive = Archive::open(bytes.clone(), &Limits::default()).unwrap();
        assert!(rewrite(&archive) == *bytes, "{name}");
    }
}

#[test]
fn names_are_given_without_the_prefix_and_in_order() {
    let archive = open(layout("extra.pt"));
    assert_eq!(archive.prefix(), "extra/");
    let names: Vec<&str> = archive.names().collect();
    let expected = [
        "extra/note.txt",
        "data.pkl",
        "code/__torch__.py",
        "code/__torch__.py.debug_pkl",
        "constants.pkl",
        "version",
        "byteorder",
        ".data/serialization_id",
    ];
    assert_eq!(names, expected);
    assert_eq!(archive.read_text("extra/note.txt").unwrap(), "hello");
    assert_eq!(archive.read_text("byteorder").unwrap(), "little");
    assert_eq!(
        archive.read("data/0").unwrap_err().problem,
        Problem::NoSuchRecord
    );
}

#[test]
fn records_without_a_common_folder_have_no_prefix() {
    let mut writer = Writer::new("");
    writer.add_stored("a/x", b"1").unwrap();
    writer.add_stored("b", b"2").unwrap();
    let archive = open(writer.finish());
    assert_eq!(archive.prefix(), "");
    assert_eq!(archive.read_text("a/x").unwrap(), "1");
}

#[test]
fn stored_records_are_aligned_parts_of_the_file() {
    let bytes = Bytes::from(layout("attributes.pt"));
    let archive = Archive::open(bytes.clone(), &Limits::default()).unwrap();
    for name in archive.names().filter(|name| name.starts_with("data/")) {
        let record = archive.read(name).unwrap();
        assert_eq!(record.owner().as_ptr(), bytes.as_ptr());
        assert_eq!(record.range().start % ALIGNMENT, 0, "{name}");
    }
    let code = archive.read("code/__torch__.py").unwrap();
    assert_ne!(code.owner().as_ptr(), bytes.as_ptr());
}

#[test]
fn parts_of_a_record_stay_inside_it() {
    let archive = open(small());
    let record = archive.read("data/0").unwrap();
    assert_eq!(&*record.slice(2..5).unwrap(), &[7, 7, 7]);
    assert!(record.slice(2..13).is_none());
    #[expect(clippy::reversed_empty_ranges, reason = "a range from a hostile file")]
    let reversed = 5..2;
    assert!(record.slice(reversed).is_none());
}

#[test]
fn every_truncation_is_refused() {
    let bytes = layout("extra.pt");
    for len in 0..bytes.len() {
        problem(bytes[..len].to_vec());
    }
    assert_eq!(
        problem(bytes[..500].to_vec()),
        Problem::NoDirectory {
            begins_like_zip: true
        }
    );
    assert_eq!(
        problem(b"hello".to_vec()),
        Problem::NoDirectory {
            begins_like_zip: false
        }
    );
}

#[test]
fn a_flipped_bit_is_noticed_or_harmless() {
    let bytes = small();
    let mut random = XorShift(1);
    for _ in 0..20_000 {
        let mut damaged = bytes.clone();
        let at = random.below(damaged.len());
        damaged[at] ^= 1 << random.below(8);
        let Ok(archive) = Archive::open(Bytes::from(damaged), &Limits::default()) else {
            continue;
        };
        if let Ok(record) = archive.read("data/0") {
            assert_eq!(&*record, &[7; 12], "byte {at}");
        }
        for entry in archive.names() {
            let _ = archive.read(entry);
        }
    }
}

#[test]
fn a_zip_bomb_is_refused_by_its_ratio() {
    let mut writer = Writer::new("bomb");
    writer
        .add("zeros", &vec![0; 64 << 20], Compression::Deflated, 1)
        .unwrap();
    let bytes = writer.finish();
    assert!(matches!(
        problem(bytes.clone()),
        Problem::Limit {
            what: "the compression ratio",
            ..
        }
    ));
    let limits = Limits {
        max_ratio: 2000,
        max_inflated: 1 << 20,
        ..Limits::default()
    };
    assert!(matches!(
        problem_within(bytes.clone(), &limits),
        Problem::Limit {
            what: "the inflated size",
            ..
        }
    ));
    let limits = Limits {
        max_ratio: 2000,
        max_total_inflated: 1 << 20,
        ..Limits::default()
    };
    let what = "the inflated size of all records";
    assert!(matches!(problem_within(bytes, &limits), Problem::Limit { what: w, .. } if w == what));
}

#[test]
fn a_record_larger_than_it_says_is_refused() {
    let mut bytes = small();
    let entry = directory_entry(&bytes, b"small/code/__torch__.py");
    set32(&mut bytes, entry + 24, 100);
    let archive = open(bytes.clone());
    assert_eq!(
        archive.read("code/__torch__.py").unwrap_err().problem,
        Problem::BadDeflate
    );
    set32(&mut bytes, entry + 24, 1000);
    let expected = Problem::WrongLength {
        expected: 1000,
        found: 360,
    };
    assert_eq!(
        open(bytes).read("code/__torch__.py").unwrap_err().problem,
        expected
    );
}

#[test]
fn sizes_and_offsets_outside_the_file_are_refused() {
    for (field, value) in [
        (20, 0x7fff_ffff),
        (20, 0xffff_ffff),
        (42, 0xffff_fff0),
        (42, 0xffff_ffff),
        (42, 3),
    ] {
        let mut bytes = small();
        let entry = directory_entry(&bytes, b"small/code/__torch__.py");
        set32(&mut bytes, entry + field, value);
        assert!(
            matches!(problem(bytes), Problem::Malformed { .. }),
            "field {field}, {value:#x}"
        );
    }
}

#[test]
fn a_huge_number_of_records_is_refused() {
    let mut bytes = small();
    let end64 = bytes.windows(4).rposition(|w| w == b"PK\x06\x06").unwrap();
    for at in [end64 + 24, end64 + 32] {
        bytes[at..at + 8].copy_from_slice(&(1u64 << 40).to_le_bytes());
    }
    assert!(matches!(
        problem(bytes),
        Problem::Limit {
            what: "the number of records",
            ..
        }
    ));
}

#[test]
fn records_that_share_bytes_are_refused() {
    // The second record is made to begin inside the first, where a header with its name waits.
    let mut inner = Writer::new("");
    inner.add("b", b"xx", Compression::Stored, 1).unwrap();
    let inner = inner.finish();
    let header = &inner[..inner.windows(4).position(|w| w == b"PK\x01\x02").unwrap()];
    let mut writer = Writer::new("");
    writer.add("a", header, Compression::Stored, 1).unwrap();
    writer.add("b", b"xx", Compression::Stored, 1).unwrap();
    let mut bytes = writer.finish();
    let inside = open(bytes.clone()).entry("a").unwrap().data().start as u32;
    let entry = directory_entry(&bytes, b"b");
    set32(&mut bytes, entry + 42, inside);
    assert_eq!(problem(bytes), Problem::Overlap { with: "a".into() });
}

#[test]
fn names_that_lead_out_of_the_archive_are_refused() {
    for name in [
        "../evil",
        "a/../../x",
        "..",
        "/etc/x",
        "\\\\host\\x",
        "a\\..\\x",
        "C:x",
        "nul\0",
    ] {
        let mut writer = Writer::new("");
        writer.add_stored(name, b"x").unwrap();
        assert_eq!(problem(writer.finish()), Problem::BadName, "{name:?}");
    }
    let mut writer = Writer::new("");
    for name in ["..a", "a..", "a/...", "C", "é:"] {
        writer.add_stored(name, b"x").unwrap();
    }
    assert_eq!(open(writer.finish()).entries().len(), 5);
}

#[test]
fn a_name_that_is_not_utf8_is_refused() {
    let mut writer = Writer::new("");
    writer.add_stored("abc", b"x").unwrap();
    assert_eq!(
        problem(patch(writer.finish(), b"abc", b"a\xffc")),
        Problem::BadName
    );
}

#[test]
fn a_name_that_occurs_twice_is_refused() {
    let mut writer = Writer::new("");
    writer.add_stored("one", b"x").unwrap();
    writer.add_stored("two", b"x").unwrap();
    assert!(writer.add_stored("two", b"y").is_err());
    let bytes = writer.finish();
    let first = bytes.windows(3).position(|w| w == b"one").unwrap();
    let mut bytes = patch(bytes, b"one", b"two");
    bytes[first..first + 3].copy_from_slice(b"two");
    assert_eq!(problem(bytes), Problem::DuplicateName);
}

#[test]
fn a_local_header_that_contradicts_the_directory_is_refused() {
    let bytes = patch(small(), b"small/version", b"small/Version");
    assert!(matches!(
        problem(bytes),
        Problem::Malformed {
            what: "local header",
            ..
        }
    ));
}

#[test]
fn encryption_and_other_compression_methods_are_refused() {
    for (field, value, what) in [
        (8, 1, "encryption"),
        (10, 12, "a compression method other than deflate"),
    ] {
        let mut bytes = small();
        let entry = directory_entry(&bytes, b"small/version");
        bytes[entry + field] = value;
        assert_eq!(problem(bytes), Problem::Unsupported { what });
    }
}

#[test]
fn a_wrong_checksum_is_refused_unless_checksums_are_off() {
    let mut bytes = small();
    bytes[64] = 8;
    let archive = open(bytes.clone());
    assert!(matches!(
        archive.read("data/0").unwrap_err().problem,
        Problem::WrongChecksum { .. }
    ));
    let limits = Limits {
        verify_checksums: false,
        ..Limits::default()
    };
    let archive = Archive::open(Bytes::from(bytes), &limits).unwrap();
    assert_eq!(archive.read("data/0").unwrap()[0], 8);
}

#[test]
fn bulk_data_is_handed_out_without_a_look_at_it() {
    let mut bytes = small();
    bytes[64] = 8;
    let archive = open(bytes);
    assert_eq!(archive.read_data("data/0").unwrap()[0], 8);
    assert!(archive.deferred("data/0").unwrap().read().is_err());
}

#[test]
fn folders_are_left_out() {
    let mut writer = Writer::new("");
    writer.add_stored("a/", b"").unwrap();
    writer.add_stored("a/b", b"x").unwrap();
    let archive = open(writer.finish());
    assert_eq!(archive.names().collect::<Vec<_>>(), ["b"]);
}

#[test]
fn equal_content_gives_equal_files_and_ids() {
    assert_eq!(small(), small());
    let id = |content: &[u8], prefix: &str| {
        let mut writer = Writer::new(prefix);
        writer.add_stored("a", content).unwrap();
        writer.serialization_id()
    };
    assert_eq!(id(b"x", "p").len(), 40);
    assert_eq!(id(b"x", "p"), id(b"x", "q"));
    assert_ne!(id(b"x", "p"), id(b"y", "p"));
}

#[test]
fn mutated_archives_neither_panic_nor_hang() {
    let seeds: Vec<Vec<u8>> = layout_zips()
        .map(|(_, bytes)| bytes)
        .chain([small()])
        .collect();
    support::fuzz(&seeds, fuzz_zip);
}

/// Opens whatever it is given and reads every record.
fn fuzz_zip(data: &[u8]) {
    let limits = Limits {
        verify_checksums: false,
        ..Limits::default()
    };
    if let Ok(archive) = Archive::open(Bytes::from(data.to_vec()), &limits) {
        for name in archive.names() {
            let _ = archive.read(name);
        }
    }
}
