import { sleep } from '@temporalio/workflow';
import { z } from 'zod';
import { defineSlice, eventHandler, type Slice } from '../../../workflows/extend';

const moodSchema = z.strictObject({ mood: z.string() });
type Mood = z.infer<typeof moodSchema>;

const anything = z.record(z.string(), z.unknown());
const startTimer = eventHandler(anything, (moods: readonly Mood[]) => {
  void sleep('1 day');
  return moods;
});

/**
 * A slice that handles the events of every built-in slice and of the agent loop. A slice must not start timers, but here
 * it shows in a replay whether the slice handled an event from before it was added.
 */
export const timingSlice: Slice = defineSlice({
  name: 'moods',
  record: moodSchema,
  conflict: 'append',
  on: {
    artifactWritten: startTimer,
    delegationEnded: startTimer,
    delegationStarted: startTimer,
    fileChanged: startTimer,
    noteAdded: startTimer,
    planStepChanged: startTimer,
    planStepsAdded: startTimer,
    promptRendered: startTimer,
    toolInvoked: startTimer,
  },
});
