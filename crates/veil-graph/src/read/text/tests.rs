use std::path::PathBuf;

use super::*;
use crate::read::fixtures::gzip;
use crate::read::{At, ReadError};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

/// (line number, text) of every line, read in blocks of about `block` bytes.
fn lines(path: &std::path::Path, block: usize) -> Result<Vec<(u64, String)>, ReadError> {
    let mut all = Vec::new();
    let text = |line: Line<'_>| (line.number(), String::from_utf8_lossy(line.bytes()).into_owned());
    Text::with_block_size(path, block)?.parse(
        |block| Ok(block.lines().map(text).collect::<Vec<_>>()),
        |lines| {
            all.extend(lines);
            Ok(())
        },
    )?;
    Ok(all)
}

#[test]
fn lines_keep_their_order_and_numbers_for_any_block_size_and_packing() {
    let folder = Folder::new();
    let mut text = b"\xef\xbb\xbffirst\r\n\n  \n".to_vec();
    let mut expected = vec![(1, "first".to_owned())];
    for number in 4..2000 {
        let line = "x".repeat(number % 17 + 1);
        text.extend_from_slice(line.as_bytes());
        text.extend_from_slice(if number % 3 == 0 { b"\r\n" } else { b"\n" });
        expected.push((number as u64, line));
    }
    text.extend_from_slice(b"last");
    expected.push((2000, "last".to_owned()));
    let plain = folder.file("plain.gz", &text);
    let (head, tail) = text.split_at(999);
    let packed = folder.file("packed", &[gzip(head), gzip(tail)].concat());
    for block in [1, 7, 100, 5000, 4 << 20] {
        assert!(lines(&plain, block).unwrap() == expected, "{block}");
        assert!(lines(&packed, block).unwrap() == expected, "{block}");
    }
    assert_eq!(lines(&folder.file("empty", b""), 10).unwrap(), []);
    assert_eq!(lines(&folder.file("blank", b"\n\r\n \n"), 10).unwrap(), []);
}

#[test]
fn taking_and_peeking_agree_with_parsing() {
    let folder = Folder::new();
    let path = folder.file("a.csv", b"\nhead\n\nrow 1\nrow 2");
    let mut text = Text::open(&path).unwrap();
    let numbers = |lines: Vec<OwnedLine>| lines.iter().map(|line| line.line().number()).collect::<Vec<_>>();
    assert_eq!(numbers(text.peek_lines(2, |_| true)), [2, 4]);
    let head = text.take_line().unwrap().unwrap();
    assert_eq!((head.line().number(), head.line().bytes()), (2, &b"head"[..]));
    assert_eq!(numbers(text.peek_lines(9, |line| line.number() != 4)), [5]);
    let mut rest = Vec::new();
    text.parse(
        |block| Ok(block.lines().map(|line| line.number()).collect::<Vec<_>>()),
        |lines| {
            rest.extend(lines);
            Ok(())
        },
    )
    .unwrap();
    assert_eq!(rest, [4, 5]);
}

#[test]
fn the_first_error_of_the_file_is_the_one_reported() {
    let folder = Folder::new();
    let text: String = (0..1000).map(|line| if line == 300 || line == 700 { "x\n" } else { "1\n" }).collect();
    let path = folder.file("numbers.txt", text.as_bytes());
    let parse = |block: Block<'_>| {
        block.lines().map(|line| line.exactly::<1>(b',')?[0].as_u32()).collect::<Result<Vec<_>, _>>()
    };
    let error = Text::with_block_size(&path, 16).unwrap().parse(parse, |_| Ok(())).unwrap_err();
    assert!(error.to_string().contains("numbers.txt:301:1: found \"x\""), "{error}");
}

#[test]
fn limits_hold_for_lines_and_unpacked_bytes() {
    let folder = Folder::new();
    let longest = vec![b'7'; 1 << 20];
    assert_eq!(lines(&folder.file("longest", &longest), 4 << 20).unwrap().len(), 1);
    let mut longer = b"1\n2\n".to_vec();
    longer.extend(vec![b'7'; (1 << 20) + 1]);
    longer.extend(b"\n3\n");
    for path in [folder.file("longer", &longer), folder.file("longer.gz", &gzip(&longer))] {
        for block in [5, 4 << 20] {
            match lines(&path, block).unwrap_err() {
                ReadError::TooLarge { place, limit, .. } => assert_eq!((place.at, limit), (At::Line(3, 0), 1 << 20)),
                other => panic!("{other}"),
            }
        }
    }
    let bomb = folder.file("bomb", &gzip(&[&[b'7'; 1023][..], b"\n"].concat().repeat(65 << 10)));
    assert!(matches!(lines(&bomb, 4 << 20), Err(ReadError::TooLarge { .. })));
    assert!(matches!(read_whole(&bomb, u64::MAX), Err(ReadError::TooLarge { limit: 16_777_216.., .. })));
    assert!(matches!(read_whole(&folder.file("four", b"1234"), 3), Err(ReadError::TooLarge { limit: 3, .. })));
    assert_eq!(read_whole(&folder.file("four.gz", &gzip(b"1234")), 4).unwrap(), b"1234");
    let cut = gzip(b"1234");
    let broken = folder.file("broken.gz", &cut[..cut.len() - 3]);
    assert!(matches!(read_whole(&broken, 4), Err(ReadError::Format { .. })));
    assert!(matches!(lines(&broken, 4), Err(ReadError::Format { .. })));
}

fn fields(line: &str, separator: u8) -> Result<Vec<String>, ReadError> {
    let path = PathBuf::from("a.csv");
    let line = Line::new(&path, 5, line.as_bytes());
    line.fields(separator).map(|field| Ok(field?.as_str()?.to_owned())).collect()
}

#[test]
fn fields_follow_their_separator_and_quotes() {
    assert_eq!(fields("1, 2 ,,x\r\n", b',').unwrap(), ["1", "2", "", "x"]);
    assert_eq!(fields("  1 \t 2  3 ", b' ').unwrap(), ["1", "2", "3"]);
    assert_eq!(fields("a b\tc", b'\t').unwrap(), ["a b", "c"]);
    let unclosed = fields(r#""a,b","say ""no""",c,"d"" "#, b',').unwrap_err().to_string();
    assert_eq!(unclosed, r#"a.csv:5:4: found "d\"\" ", expected a closing quote in the same line"#);
    assert_eq!(fields(r#""a,b","say ""no""","",d"#, b',').unwrap(), ["a,b", "say \"no\"", "", "d"]);
    assert_eq!(fields(r#""""""#, b',').unwrap(), ["\""]);
    assert!(fields(r#""a"b,c"#, b',').unwrap_err().to_string().contains("a.csv:5:1"));
}

#[test]
fn numbers_are_exact_or_refused_with_their_place() {
    let path = PathBuf::from("n.csv");
    let line = |text: &'static str| Line::new(&path, 2, text.as_bytes());
    let u64s = |text| line(text).exactly::<1>(b',').unwrap()[0].as_u64().ok();
    assert_eq!(u64s("18446744073709551615"), Some(u64::MAX));
    assert_eq!(u64s("0009999999999999999999"), Some(9_999_999_999_999_999_999));
    for bad in ["18446744073709551616", "-1", "+1", "1.0", "1e3", "0x1", "١"] {
        assert_eq!(u64s(bad), None, "{bad}");
    }
    let f32s = |text| line(text).exactly::<1>(b',').unwrap()[0].as_f32().ok();
    let good = [("1", 1.0), ("-0.5", -0.5), ("1e-3", 1e-3), ("9999999", 9_999_999.0), ("16777217", 16_777_216.0)];
    for (text, value) in good {
        assert_eq!(f32s(text), Some(value), "{text}");
    }
    for bad in ["NaN", "inf", "-Infinity", "1e400", "", "x", "1 5"] {
        assert!(f32s(bad).is_none(), "{bad}");
    }
    let [first, second] = line("7,8").exactly::<2>(b',').unwrap();
    assert_eq!(first.as_node(8).unwrap(), 7);
    let error = second.as_node(8).unwrap_err();
    assert_eq!(error.to_string(), "n.csv:2:2: node 8 is not one of the 8 nodes");
    assert!(line("1").exactly::<2>(b',').is_err() && line("1,2,3").exactly::<2>(b',').is_err());
    assert!(line("1,2,3").at_least::<2>(b',').is_ok());
    let broken = Line::new(&path, 3, b"a,\xff\xfe");
    let [_, broken] = broken.exactly::<2>(b',').unwrap();
    assert_eq!(broken.as_str().unwrap_err().to_string(), "n.csv:3:2: not UTF-8 text");
    assert_eq!(broken.as_f32().unwrap_err().to_string(), "n.csv:3:2: not UTF-8 text");
}
