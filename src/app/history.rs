//! What was chosen step by step, to be undone and done again.

use std::collections::VecDeque;

/// Values one after another, of which the one now is in force. What belongs to a value and what makes a step is for others to
/// say; this only keeps them in order.
#[derive(Debug, Clone)]
pub struct History<T> {
    past: VecDeque<T>,
    now: T,
    /// The one that was undone last comes last.
    future: Vec<T>,
    /// The movement of the hand that made the last step, while it may still be going on.
    hand: Option<u64>,
}

/// A step that was gone back or forward.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<T> {
    /// The earlier value.
    pub before: T,
    /// The later one.
    pub after: T,
}

impl<T: Clone + PartialEq> History<T> {
    /// The most steps that are kept.
    pub const MOST: usize = 50;

    /// Nothing but this value.
    #[must_use]
    pub const fn new(now: T) -> Self {
        Self { past: VecDeque::new(), now, future: Vec::new(), hand: None }
    }

    /// Takes a value that nobody has chosen, as when another video has come: no step.
    pub fn adopt(&mut self, now: T) {
        self.now = now;
    }

    /// Takes the value that is in force after something that one movement of the hand did: a key that is pressed and held, a
    /// drag. All that the same movement changes is one step; where it ends as it began, there is none.
    pub fn follow(&mut self, now: T, hand: u64) {
        if now == self.now {
            return;
        }
        let before = std::mem::replace(&mut self.now, now);
        self.future.clear();
        if self.hand != Some(hand) {
            self.hand = Some(hand);
            self.past.push_back(before);
            if self.past.len() > Self::MOST {
                self.past.pop_front();
            }
        } else if self.past.back() == Some(&self.now) {
            self.past.pop_back();
            self.hand = None;
        }
    }

    /// Returns whether there is a step to go back.
    #[must_use]
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Returns whether there is one to go forward again.
    #[must_use]
    pub const fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// Goes a step back.
    pub fn undo(&mut self) -> Option<Step<T>> {
        let before = self.past.pop_back()?;
        let after = std::mem::replace(&mut self.now, before.clone());
        self.future.push(after.clone());
        self.hand = None;
        Some(Step { before, after })
    }

    /// Goes a step forward again.
    pub fn redo(&mut self) -> Option<Step<T>> {
        let after = self.future.pop()?;
        let before = std::mem::replace(&mut self.now, after.clone());
        self.past.push_back(before.clone());
        self.hand = None;
        Some(Step { before, after })
    }

    /// Forgets all steps.
    pub fn clear(&mut self) {
        self.past.clear();
        self.future.clear();
        self.hand = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(before: i32, after: i32) -> Option<Step<i32>> {
        Some(Step { before, after })
    }

    #[test]
    fn steps_are_undone_and_done_again_in_their_order() {
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
    fn what_is_chosen_after_an_undo_takes_the_place_of_what_was_undone() {
        let mut history = History::new(0);
        history.follow(1, 1);
        history.follow(2, 2);
        history.undo();
        history.follow(7, 3);
        assert_eq!((history.redo(), history.undo(), history.undo()), (None, step(1, 7), step(0, 1)));
    }

    #[test]
    fn one_movement_of_the_hand_is_one_step_and_one_that_ends_where_it_began_is_none() {
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
        // It goes on after all.
        history.follow(5, 1);
        history.follow(6, 1);
        assert_eq!((history.undo(), history.undo()), (step(0, 6), None));
    }

    #[test]
    fn the_same_hand_after_an_undo_makes_a_step_of_its_own() {
        let mut history = History::new(0);
        history.follow(1, 1);
        history.undo();
        history.follow(2, 1);
        assert_eq!(history.undo(), step(0, 2));
    }

    #[test]
    fn what_nobody_chose_is_no_step() {
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
