import { validateSectionIndex } from '../checks/sections';
import type { ParentPrompt } from '../detach-prompt';
import type { CompositionDraft } from '../draft';
import { envelope } from '../envelope';
import type { HashingOptions } from '../hashing';
import type { SectionLayout } from '../layout';
import { layOut } from '../layout';
import { promptDepth, sectionPathAtDepth } from '../level';
import { computeEmbedding } from '../redaction';
import type { CompositionResult } from '../result';
import type { CompositionStyle } from '../compose-or-wrap';
import { composeDocument, composeFromBytes } from '../compose-or-wrap';
import { shiftSections } from '../sections';
import { checkWrapFields } from './field-rules';
import type { WrappingInput } from './wrap-input';
import { wrappingSchema } from './wrap-input';
import { responseFormat } from './response-format';
import { recapSections, summarySection } from './sections';

const thinWrapper: CompositionStyle<WrappingInput> = {
  name: 'wrapper',
  schema: wrappingSchema,
  reference: 'docs/reference/wrap-input.schema.json',
  promptKey: 'prompt',
  draft,
};

/** Wraps a parent's prompt, given one JSON document that contains the prompt. */
export function wrapPrompt(document: unknown, options: HashingOptions = {}): CompositionResult {
  return composeDocument(thinWrapper, document, options);
}

/** Wraps a parent's prompt that is given as bytes. The result is a short header and the prompt; nothing is withheld. */
export function wrapPromptFromBytes(
  parent: ParentPrompt,
  input: unknown,
  options: HashingOptions = {},
): CompositionResult {
  return composeFromBytes(thinWrapper, parent, input, options);
}

function draft(parent: Uint8Array, input: WrappingInput, delegationId: string): CompositionDraft {
  const fields = checkWrapFields(input);
  const sections = input.parent.sections ?? [];
  validateSectionIndex(parent, sections);
  const embedding = computeEmbedding(parent.length, sections, []);
  const own = sectionPathAtDepth(promptDepth(sections) + 1);
  const header = layOut([summarySection(input, delegationId)], { level: 1, path: own, followed: true });
  const whole = envelope({
    before: joined(header, layOut(format(input), { level: 2, path: own, followed: true })),
    parentPrompt: { path: [...own, 'parent-prompt'], heading: '## Parent Prompt (Verbatim)' },
    after: layOut(recapSections(input), { level: 2, path: own }),
    embedding,
  });
  return { whole, embedding, redactions: [], fields };
}

/** The response format is included only if the parent has a schema and the model API can't enforce it. */
function format({ parent, adapter }: WrappingInput): ReturnType<typeof responseFormat>[] {
  const native = adapter?.nativeStructuredOutput ?? true;
  return native || parent.output === null || parent.output === undefined ? [] : [responseFormat(parent.output)];
}

function joined(first: SectionLayout, second: SectionLayout): SectionLayout {
  return {
    text: first.text + second.text,
    byteLength: first.byteLength + second.byteLength,
    sections: [...first.sections, ...shiftSections(second.sections, first.byteLength)],
  };
}
