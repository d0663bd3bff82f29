//! The message for a limit that is never reached, because restarts wait (rule C6).

use std::time::Duration;

/// Says that a limit cannot be reached. `whose` waits they are: those of a child, or of all children.
pub(super) fn message(whose: &str, failures: u64, least: Duration, within: Duration) -> String {
    let (least, within) = (time(least), time(within));
    format!(
        "this limit is never reached: with the waits {whose}, {failures} failures take at least {least}, and `within` is \
         {within}; allow more time, or fewer restarts"
    )
}

/// Returns a time as it is written in a setting.
fn time(time: Duration) -> String {
    let millis = (time.as_secs_f64() * 1e3).round();
    if time < Duration::from_secs(1) { format!("{millis}ms") } else { format!("{}s", millis / 1e3) }
}

#[cfg(test)]
mod tests {
    use super::super::super::parse;
    use super::super::rules::Rules;
    use crate::errors::Errors;

    fn messages(body: &str) -> Vec<String> {
        let mut errors = Errors::default();
        let trees = parse::trees(format!("struct Shop {{ {body} }}").parse().unwrap(), &mut errors);
        let mut rules = Rules::of(&trees[0].body, &mut errors);
        trees[0].body.children().for_each(|child| rules.child(child, &mut errors));
        errors.messages()
    }

    #[test]
    fn adds_up_the_waits() {
        let tree = |within: &str| {
            messages(&format!(
                "#![strategy(OneForOne, max_restarts = 10, within = {within})]
                 #[backoff(3s..30s, reset = 1min)] db: Db = Db"
            ))
        };
        assert!(tree("10min").is_empty());
        assert!(tree("226s").is_empty());
        assert!(tree("225s")[0].contains("11 failures take at least 225s"), "{:?}", tree("225s"));
    }

    #[test]
    fn a_reset_shortens_the_way() {
        let text = |reset: &str| {
            messages(&format!(
                "#[backoff(1s..100s, reset = {reset})] #[limit(max_restarts = 5, within = 20s)] db: Db = Db"
            ))
        };
        assert_eq!(text("2min").len(), 1, "1 + 2 + 4 + 8 + 16");
        assert!(text("3s").is_empty(), "1 + 2 + 4 + 4 + 4");
        assert!(text("Manual").is_empty(), "1 each");
    }

    #[test]
    fn says_nothing_where_it_does_not_know() {
        for child in [
            "#[backoff(Backoff::slotted(1s))] db: Db = Db",
            "#[backoff(1s..config.max)] db: Db = Db",
            "#[limit(max_restarts = n)] #[backoff(5s..6s)] db: Db = Db",
            "#[limit(max_restarts = Unlimited)] #[backoff(5s..6s)] db: Db = Db",
            "#[lifecycle(Temporary)] db: Db = Db",
            "#[backoff(5s..6s)] dbs: [Db] = || Db",
        ] {
            let text = messages(&format!("#![strategy(OneForOne, max_restarts = 3, within = 1s)] {child}"));
            assert!(text.is_empty(), "{child}: {text:?}");
        }
    }

    #[test]
    fn without_a_backoff_restarts_are_10_ms_apart() {
        let tree = |within: &str| {
            messages(&format!(
                "#![strategy(OneForOne, max_restarts = 1_000, within = {within})] a: A = A, b: B = B, c: [C] = || C"
            ))
        };
        assert!(tree("10s").is_empty(), "the first of them is immediate");
        assert_eq!(tree("9990ms").len(), 1);
    }

    #[test]
    fn waits_that_hardly_grow_are_summed_up_too() {
        let child = |within: &str| {
            messages(&format!(
                "#[limit(max_restarts = 5_000, within = {within})] #[backoff(1s..1min, factor = 1.001)] db: Db = Db"
            ))
        };
        assert!(child("1d").is_empty());
        assert!(child("20h")[0].contains("5001 failures take at least"), "{:?}", child("20h"));
    }

    #[test]
    fn large_limits_are_summed_up_too() {
        let set = |within: &str| {
            messages(&format!("#[limit(max_restarts = 1_000_000, within = {within})] counters: [Counter] = || Counter"))
        };
        assert!(set("3h").is_empty());
        assert!(set("1h")[0].contains("1000001 failures take at least 9999.99s"), "{:?}", set("1h"));
    }

    #[test]
    fn a_group_counts_together() {
        let group = |within: &str, second: &str| {
            messages(&format!(
                "#![strategy(AllForOne, max_restarts = 4, within = {within})]
                 #[backoff(1s..8s, reset = 1min)] a: A = A, {second} b: B = B"
            ))
        };
        let both = "#[backoff(1s..8s, reset = 1min)]";
        assert!(group("7s", both).is_empty(), "1 + 1 + 2 + 2");
        assert_eq!(group("6s", both).len(), 1);
        assert!(group("1s", "").is_empty());
        assert_eq!(group("15s", "#[lifecycle(Temporary)]").len(), 1);
    }
}
