import type { HashingOptions } from '../bytes';
import { validateSectionIndex } from '../checks/size';
import { composeDocument, composeFromBytes, type CompositionStyle } from '../compose-or-wrap';
import { type CompositionDraft, envelope } from '../envelope';
import type { ParentPrompt } from '../extract';
import { layOut, promptDepth, type SectionLayout, type SectionNode, sectionPathAtDepth } from '../layout';
import { bullets, field } from '../markdown';
import { type ResponseFormat, responseFormatBody } from '../output';
import { computeEmbedding } from '../redaction';
import type { CompositionResult } from '../result';
import { shiftSections } from '../sections';
import { checkWrapFields, type WrappingInput, wrappingSchema } from './wrap-input';

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
function format({ parent, adapter }: WrappingInput): SectionNode[] {
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

function responseFormat(output: ResponseFormat): SectionNode {
  return { key: 'response-format', title: 'Response Format', body: responseFormatBody(output), tight: true };
}

/** The summary section. The specification requires exactly these four bullets, in this order. */
function summarySection({ delegation }: WrappingInput, delegationId: string): SectionNode {
  return {
    key: 'delegation-summary',
    title: 'Delegation Summary',
    body: [
      field('Delegation id', delegationId),
      field('Reason', delegation.reason),
      field('Expected result', delegation.expectedResult),
      field('May delegate further?', delegation.mayDelegateFurther ? 'yes' : 'no'),
    ].join('\n'),
  };
}

/** The recap section; empty without recap lines. */
function recapSections({ delegation: { recapLines = [] } }: WrappingInput): SectionNode[] {
  return recapLines.length === 0 ? [] : [{ key: 'recap', title: 'Recap', body: bullets(recapLines) }];
}
