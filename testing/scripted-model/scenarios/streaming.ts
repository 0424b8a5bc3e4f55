import { say } from '../reply';
import type { Script } from '../script';

const chunkDelayMs = 50;
const chunkSize = 8;
const sentences = [
  'The tide comes in twice a day, and so do the boats.',
  'Each of them reports its draught, and the gauge reports the water.',
  'Where the two are too close, the harbour master wants to know in time.',
  'This text has no other purpose than to be watched while it is written.',
];

/** Writes one long answer slowly, for this many seconds, so that it can be watched while it is written. */
export function streaming(seconds = 6): Script {
  const length = Math.round((seconds * 1_000) / chunkDelayMs) * chunkSize;
  const text = textOf(length);
  return () => say(text, { chunkDelayMs, chunkSize });
}

/** Returns numbered paragraphs, so that a reader sees how far the text has come. */
function textOf(length: number): string {
  let text = '';
  for (let number = 1; text.length < length; number += 1) text += `${number}. ${sentences.join(' ')}\n\n`;
  return `${text.slice(0, length - 5)} End.`;
}
