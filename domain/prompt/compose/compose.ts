import type { HashingOptions } from '../bytes';
import { validateSectionIndex } from '../checks/size';
import { composeDocument, composeFromBytes, type CompositionStyle } from '../compose-or-wrap';
import { type CompositionDraft, envelope } from '../envelope';
import type { ParentPrompt } from '../extract';
import { layOut, promptDepth, type SectionNode, sectionPathAtDepth, transcriptPath } from '../layout';
import { code, field } from '../markdown';
import { redact } from '../redaction';
import type { CompositionResult } from '../result';
import { pathKey } from '../sections';
import { type CompositionInput, compositionSchema } from './compose-input';
import { detailsSection, reportingSection } from './details';
import { instructionsSection } from './instructions';
import { checkCompositionFields, validateTooling } from './rules';
import { toolingSection } from './tooling';

const sixSections: CompositionStyle<CompositionInput> = {
  name: 'sections',
  schema: compositionSchema,
  reference: 'docs/reference/compose-input.schema.json',
  promptKey: 'rendered',
  draft,
};

/** Composes a six-section prompt from one JSON document that contains the parent's prompt. */
export function composePrompt(document: unknown, options: HashingOptions = {}): CompositionResult {
  return composeDocument(sixSections, document, options);
}

/**
 * Composes a six-section prompt from a parent's prompt that is given as bytes. A pure function: the same input gives the
 * same bytes and the same id on every machine.
 */
export function composePromptFromBytes(
  parent: ParentPrompt,
  input: unknown,
  options: HashingOptions = {},
): CompositionResult {
  return composeFromBytes(sixSections, parent, input, options);
}

function draft(parent: Uint8Array, input: CompositionInput, delegationId: string): CompositionDraft {
  const fields = checkCompositionFields(input);
  validateTooling(input);
  const sections = input.parent.sections ?? [];
  validateSectionIndex(parent, sections);
  const { applied, embedding } = redact(parent, sections, input.redactions ?? []);
  const own = sectionPathAtDepth(promptDepth(sections) + 1);
  const transcript = pathKey(transcriptPath(sections));
  // A redaction of the transcript itself is listed with its own reason.
  const isAccounted = [...embedding.inherited, ...applied.map(({ path }) => path)].some(
    (path) => pathKey(path) === transcript,
  );
  const after = [
    detailsSection(input.delegation, {
      redactions: applied,
      notes: input.redactionNotes ?? [],
      transcript: !isAccounted,
    }),
    instructionsSection(input, embedding),
    toolingSection(input.tooling ?? {}),
    reportingSection(input.reporting ?? {}),
  ];
  const whole = envelope({
    before: layOut([overviewSection(input, delegationId)], { level: 1, path: own, followed: true }),
    parentPrompt: { path: [...own, 'parent-prompt'], heading: '## Parent Prompt' },
    after: layOut(after, { level: 2, path: own }),
    embedding,
  });
  return { whole, embedding, redactions: applied, fields };
}

/** The Delegation Overview section, which comes first and states the reason for the delegation. */
function overviewSection({ parent, delegation }: CompositionInput, delegationId: string): SectionNode {
  return {
    key: 'delegation-overview',
    title: 'Delegation Overview',
    body: [
      field('Delegation id', delegationId),
      field('Parent agent', code(parent.agentId)),
      field('Parent prompt key', code(`${parent.promptNs}/${parent.promptKey}`)),
      field('Reason', delegation.reason),
      field('Expected completion state', delegation.expectedCompletion),
      field('May delegate further?', delegation.mayDelegateFurther ? 'yes' : 'no'),
    ].join('\n'),
  };
}
