import type { Handoff } from '../../../domain/handoff/form';

/** The smallest one: everything else in it is given by the test. */
export const handoff: Handoff = {
  goal: 'Port the parser.',
  done: [],
  decisions: [],
  open_questions: [],
  next_steps: [],
  artifacts: [],
};
