import { utf8 } from '../kernel';
import {
  type HandoffRequirements,
  maxHandoffBytes,
  maxHandoffItems,
  maxHandoffTextLength,
  collapseWhitespace,
} from './handoff-schema';

/**
 * Maximum bytes of the listed artifact names. The request is recorded in history; only the newest names that fit are
 * listed.
 */
const maxListedNamesBytes = 6 * 1024;

const form = `{
  "goal": "what the work should achieve, as you understand it now",
  "done": ["what is finished, and how you know it is correct"],
  "decisions": ["what was decided, and why"],
  "open_questions": ["what is still unknown"],
  "next_steps": ["what to do next, in order, clear to someone who was not here"],
  "artifacts": ["names of artifacts that the next agent should read"]
}`;

/** Part of every handoff request, and of no other message to a model. */
export const lastMessageNotice = 'your next message is your last one';

/** Builds the message that asks an agent for its handoff. */
export function handoffRequest({ decisions, artifacts }: HandoffRequirements): string {
  return [
    `Stop here: your context window is nearly full, and ${lastMessageNotice}. A new agent with the same instructions will continue from it. It sees nothing of this conversation, so your handoff must contain everything it needs that is not in the instructions, the session or an artifact.`,
    'Do not call tools. Reply with exactly one JSON object in this form, with nothing before it, no code fence, and nothing after it.',
    form,
    `All fields are required; lists may be empty. Limits: ${maxHandoffTextLength} characters per text, ${maxHandoffItems} items per list, ${maxHandoffBytes} bytes in total.`,
    ...decisionList(decisions),
    ...artifactList(artifacts),
  ].join('\n\n');
}

/** Builds the message that asks an agent to correct its handoff. */
export function handoffRepairRequest(violation: string): string {
  return `Your handoff cannot be used: ${violation}\n\nWrite the complete, corrected handoff again: only the JSON object, no tool calls.`;
}

function decisionList(decisions: readonly string[]): string[] {
  if (decisions.length === 0) return [];
  const intro = 'These decisions are recorded. Each must appear word for word in `decisions`, along with any others:';
  return [`${intro}\n${bullets(decisions)}`];
}

function artifactList(artifacts: readonly string[]): string[] {
  if (artifacts.length === 0) return ['There are no artifacts: leave `artifacts` empty.'];
  const shown = newest(artifacts);
  const older = artifacts.length - shown.length;
  const rest = older === 0 ? '' : `\n(and ${older} older ones)`;
  return [`These artifacts exist; list no others in \`artifacts\`:\n${bullets(shown)}${rest}`];
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
  return texts.map((text) => `- ${collapseWhitespace(text)}`).join('\n');
}
