import { utf8 } from '../hash';
import type { HandoffFacts } from './check';
import { maxHandoffBytes, maxHandoffItems, maxHandoffTextLength, oneLine } from './form';

/**
 * Maximum bytes of the listed artifact names. The request is recorded in history; only the newest names that fit are
 * listed.
 */
const maxListedNamesBytes = 6 * 1024;

const form = `{
  "goal": "what the work is to achieve, as you understand it now",
  "done": ["what is finished, and how you know that it is right"],
  "decisions": ["what was decided, and why"],
  "open_questions": ["what is not known yet"],
  "next_steps": ["what to do next, in order, so that someone who was not here can begin"],
  "artifacts": ["names of artifacts that the next agent should read"]
}`;

/** Builds the message that asks an agent for its handoff. */
export function handoffRequest({ decisions, artifacts }: HandoffFacts): string {
  return [
    'Stop here: your window is nearly full, and your next message is your last one. A fresh agent with your instructions goes on from it. That agent sees nothing of this conversation: whatever it needs and cannot find in the instructions, the session or an artifact must stand in your handoff.',
    `Call no tools. Answer with one JSON object of this form, and with nothing else: nothing before it, no code fence, nothing after it.`,
    form,
    `All fields are needed; lists may be empty. A text has at most ${maxHandoffTextLength} characters, a list at most ${maxHandoffItems} items, the whole at most ${maxHandoffBytes} bytes.`,
    ...decisionList(decisions),
    ...artifactList(artifacts),
  ].join('\n\n');
}

/** Builds the message that asks an agent to correct its handoff. */
export function handoffRepairRequest(violation: string): string {
  return `Your handoff can't be used: ${violation}\n\nWrite it again, whole and corrected: only the JSON object, no tools.`;
}

function decisionList(decisions: readonly string[]): string[] {
  if (decisions.length === 0) return [];
  const intro = 'These decisions are recorded. Each must stand in `decisions`, word for word, beside any others:';
  return [`${intro}\n${bullets(decisions)}`];
}

function artifactList(artifacts: readonly string[]): string[] {
  if (artifacts.length === 0) return ['There are no artifacts: leave `artifacts` empty.'];
  const shown = newest(artifacts);
  const older = artifacts.length - shown.length;
  const rest = older === 0 ? '' : `\n(and ${older} older ones)`;
  return [`These artifacts exist; in \`artifacts\`, name no others:\n${bullets(shown)}${rest}`];
}

function newest(names: readonly string[]): readonly string[] {
  let room = maxListedNamesBytes;
  let from = names.length;
  while (from > 0) {
    room -= utf8(JSON.stringify(names[from - 1])).length;
    if (room < 0) break;
    from -= 1;
  }
  return names.slice(from);
}

function bullets(texts: readonly string[]): string {
  return texts.map((text) => `- ${oneLine(text)}`).join('\n');
}
