use super::*;

fn cell(name: &str, parent: Option<&Arc<BareCell>>) -> Arc<BareCell> {
    let bus = parent.map_or_else(
        || Arc::new(TreeShared::new(0, crate::extension::StandingExtensions::NONE)),
        |parent| parent.core.bus.clone(),
    );
    BareCell::new(CellCore::new(Name::from(name), parent.map(|parent| parent.clone() as Arc<AnyCell>), bus))
}

/// Ends the cell as its task does, so that it took this long.
fn end(cell: &BareCell, ended: Ended, millis: u64) {
    cell.core.begin_closing();
    cell.core.set_ended(ended.clone());
    tell(cell, ended, millis);
}

fn tell(cell: &BareCell, ended: Ended, millis: u64) {
    let (took, aborted) = (Duration::from_millis(millis), false);
    cell.core.tell_report(|| ChildEnd { ended, took, aborted, stuck: false, failure: None, failures: 0 });
}

fn report(cell: &BareCell) -> Vec<(String, u128)> {
    cell.core.report().into_iter().map(|child| (child.path, child.took.as_millis())).collect()
}

/// S24: an end is in the report of each tree above that is stopping, with the same path.
#[test]
fn an_end_is_reported_to_all_trees_above_that_are_stopping() {
    let root = cell("App", None);
    let inner = cell("inner", Some(&root));
    let (first, second) = (cell("first", Some(&inner)), cell("second", Some(&inner)));
    assert!(inner.core.open_report());
    end(&first, Ended::Stopped, 1);
    assert!(root.core.open_report() && !root.core.open_report());
    end(&second, Ended::Stopped, 2);
    let (first, second) = (("inner/first".to_owned(), 1), ("inner/second".to_owned(), 2));
    assert_eq!(report(&inner), [first, second.clone()]);
    assert_eq!(report(&root), [second]);
}

/// S24: a child that is found to have ended, and reports its end too, is in the report once, and before the others. The
/// same holds for one that was given up and has ended after all.
#[test]
fn a_child_is_in_a_report_once() {
    let root = cell("App", None);
    let names = ["found", "late", "given up", "other"];
    let [found, late, given_up, other] = names.map(|name| cell(name, Some(&root)));
    found.core.set_ended(Ended::Done);
    assert!(root.core.open_report());
    end(&late, Ended::Stopped, 1);
    root.core.had_ended([&late, &found].into_iter().filter_map(|cell| cell.core.found_ended()).collect());
    tell(&found, Ended::Done, 2);
    end(&given_up, Ended::Aborted, 3);
    end(&other, Ended::Stopped, 4);
    tell(&given_up, Ended::Stopped, 5);
    let expected = [("found", 0), ("late", 1), ("given up", 3), ("other", 4)];
    assert_eq!(report(&root), expected.map(|(name, took)| (name.to_owned(), took)));
}
