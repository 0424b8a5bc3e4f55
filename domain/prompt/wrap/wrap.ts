import { requireSoundIndex } from '../checks/sections';
import type { ParentPrompt } from '../detach-prompt';
import type { Draft } from '../draft';
import { envelope } from '../envelope';
import type { HashingOptions } from '../hashing';
import type { LaidOut } from '../layout';
import { layOut } from '../layout';
import { levelOf, pathOfLevel } from '../level';
import { embeddingOf } from '../redaction';
import type { CompositionResult } from '../result';
import type { Style } from '../compose-or-wrap';
import { runStyle, runStyleOver } from '../compose-or-wrap';
import { shifted } from '../sections';
import { checkFields } from './field-rules';
import type { WrappingInput } from './wrap-input';
import { wrappingSchema } from './wrap-input';
import { responseFormat } from './response-format';
import { recap, summary } from './sections';

const thinWrapper: Style<WrappingInput> = {
  name: 'wrapper',
  schema: wrappingSchema,
  reference: 'docs/reference/wrap-input.schema.json',
  promptKey: 'prompt',
  draft,
};

/** Wraps a parent's prompt, given one JSON document that contains the prompt. */
export function wrapPrompt(document: unknown, options: HashingOptions = {}): CompositionResult {
  return runStyle(thinWrapper, document, options);
}

/** Wraps a parent's prompt that is given as bytes. The result is a short header and the prompt; nothing is withheld. */
export function wrapPromptOver(parent: ParentPrompt, input: unknown, options: HashingOptions = {}): CompositionResult {
  return runStyleOver(thinWrapper, parent, input, options);
}

function draft(parent: Uint8Array, input: WrappingInput, delegationId: string): Draft {
  const fields = checkFields(input);
  const sections = input.parent.sections ?? [];
  requireSoundIndex(parent, sections);
  const embedding = embeddingOf(parent.length, sections, []);
  const own = pathOfLevel(levelOf(sections) + 1);
  const header = layOut([summary(input, delegationId)], { level: 1, path: own, followed: true });
  const whole = envelope({
    before: joined(header, layOut(format(input), { level: 2, path: own, followed: true })),
    parentPrompt: { path: [...own, 'parent-prompt'], heading: '## Parent Prompt (Verbatim)' },
    after: layOut(recap(input), { level: 2, path: own }),
    embedding,
  });
  return { whole, embedding, redactions: [], fields };
}

/** The response format is included only if the parent has a schema and the model API can't enforce it. */
function format({ parent, adapter }: WrappingInput): ReturnType<typeof responseFormat>[] {
  const native = adapter?.nativeStructuredOutput ?? true;
  return native || parent.output === null || parent.output === undefined ? [] : [responseFormat(parent.output)];
}

function joined(first: LaidOut, second: LaidOut): LaidOut {
  return {
    text: first.text + second.text,
    byteLength: first.byteLength + second.byteLength,
    sections: [...first.sections, ...shifted(second.sections, first.byteLength)],
  };
}
