import type { Handoff } from '../../../domain/handoff/handoff-schema';

/** The smallest valid handoff; tests change parts of it. */
export const handoff: Handoff = {
  goal: 'Port the parser.',
  done: [],
  decisions: [],
  open_questions: [],
  next_steps: [],
  artifacts: [],
};
