//! A history of values, for undo and redo.

use std::collections::VecDeque;

/// A sequence of values, one of which is current. What a value contains and what counts as a step is up to the caller;
/// this type only keeps the order.
#[derive(Debug, Clone)]
pub struct History<T> {
    past: VecDeque<T>,
    now: T,
    /// The undone values; the one undone last is at the end.
    future: Vec<T>,
    /// Number of the gesture that made the last step, while it may still continue.
    gesture: Option<u64>,
}

/// A step that was undone or redone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<T> {
    /// The earlier value.
    pub before: T,
    /// The later one.
    pub after: T,
}

impl<T: Clone + PartialEq> History<T> {
    /// Largest number of steps kept.
    pub const MOST: usize = 50;

    /// Creates a history with only this value.
    #[must_use]
    pub const fn new(now: T) -> Self {
        Self { past: VecDeque::new(), now, future: Vec::new(), gesture: None }
    }

    /// Replaces the current value without recording a step, for changes that the user did not choose, such as a
    /// different video.
    pub fn adopt(&mut self, now: T) {
        self.now = now;
    }

    /// Records the value that results from a gesture, such as a held key or a drag. All changes within one gesture form
    /// one step; a gesture that ends where it began leaves none.
    pub fn follow(&mut self, now: T, hand: u64) {
        if now == self.now {
            return;
        }
        let before = std::mem::replace(&mut self.now, now);
        self.future.clear();
        if self.gesture != Some(hand) {
            self.gesture = Some(hand);
            self.past.push_back(before);
            if self.past.len() > Self::MOST {
                self.past.pop_front();
            }
        } else if self.past.back() == Some(&self.now) {
            self.past.pop_back();
            self.gesture = None;
        }
    }

    /// Returns `true` if there is a step to undo.
    #[must_use]
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Returns `true` if there is a step to redo.
    #[must_use]
    pub const fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// Undoes the last step.
    pub fn undo(&mut self) -> Option<Step<T>> {
        let before = self.past.pop_back()?;
        let after = std::mem::replace(&mut self.now, before.clone());
        self.future.push(after.clone());
        self.gesture = None;
        Some(Step { before, after })
    }

    /// Redoes the step that was undone last.
    pub fn redo(&mut self) -> Option<Step<T>> {
        let after = self.future.pop()?;
        let before = std::mem::replace(&mut self.now, after.clone());
        self.past.push_back(before.clone());
        self.gesture = None;
        Some(Step { before, after })
    }

    /// Forgets all steps.
    pub fn clear(&mut self) {
        self.past.clear();
        self.future.clear();
        self.gesture = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(before: i32, after: i32) -> Option<Step<i32>> {
        Some(Step { before, after })
    }

    #[test]
    fn steps_are_undone_and_redone_in_order() {
        let mut history = History::new(0);
        for value in 1..=3_i32 {
            history.follow(value, value.unsigned_abs().into());
        }
        assert_eq!((history.undo(), history.undo()), (step(2, 3), step(1, 2)));
        assert_eq!((history.redo(), history.undo(), history.undo()), (step(1, 2), step(1, 2), step(0, 1)));
        assert_eq!(history.undo(), None);
        assert!(!history.can_undo() && history.can_redo());
        let again = [history.redo(), history.redo(), history.redo(), history.redo()];
        assert_eq!(again, [step(0, 1), step(1, 2), step(2, 3), None]);
        assert!(history.can_undo() && !history.can_redo());
    }

    #[test]
    fn a_new_step_after_an_undo_replaces_the_undone_ones() {
        let mut history = History::new(0);
        history.follow(1, 1);
        history.follow(2, 2);
        history.undo();
        history.follow(7, 3);
        assert_eq!((history.redo(), history.undo(), history.undo()), (None, step(1, 7), step(0, 1)));
    }

    #[test]
    fn a_gesture_is_one_step_or_none_if_it_ends_where_it_began() {
        let mut history = History::new(0);
        for value in [1, 2, 3] {
            history.follow(value, 1);
        }
        history.follow(4, 2);
        assert_eq!((history.undo(), history.undo(), history.undo()), (step(3, 4), step(0, 3), None));
        let mut history = History::new(0);
        for value in [1, 2, 0] {
            history.follow(value, 1);
        }
        assert_eq!(history.undo(), None);
        // The gesture continues after all.
        history.follow(5, 1);
        history.follow(6, 1);
        assert_eq!((history.undo(), history.undo()), (step(0, 6), None));
    }

    #[test]
    fn the_same_gesture_makes_a_new_step_after_an_undo() {
        let mut history = History::new(0);
        history.follow(1, 1);
        history.undo();
        history.follow(2, 1);
        assert_eq!(history.undo(), step(0, 2));
    }

    #[test]
    fn a_change_that_nobody_chose_is_no_step() {
        let mut history = History::new(0);
        history.follow(1, 1);
        history.adopt(10);
        history.follow(11, 2);
        assert_eq!((history.undo(), history.undo()), (step(10, 11), step(0, 10)));
    }

    #[test]
    fn the_oldest_steps_are_forgotten() {
        let mut history = History::new(0);
        for value in 1..=60_i32 {
            history.follow(value, value.unsigned_abs().into());
        }
        let undone = std::iter::from_fn(|| history.undo()).count();
        assert_eq!(undone, 50);
        assert_eq!(history.now, 10);
    }
}
