import { redact } from '../redactions';
import { validateSectionIndex } from '../checks/sections';
import type { ParentPrompt } from '../detach-prompt';
import type { CompositionDraft } from '../draft';
import { envelope } from '../envelope';
import type { HashingOptions } from '../hashing';
import { layOut } from '../layout';
import { promptDepth, sectionPathAtDepth, transcriptPath } from '../level';
import type { CompositionResult } from '../result';
import type { CompositionStyle } from '../compose-or-wrap';
import { composeDocument, composeFromBytes } from '../compose-or-wrap';
import { pathKey } from '../sections';
import { detailsSection } from './details';
import { checkCompositionFields } from './rules';
import type { CompositionInput } from './compose-input';
import { compositionSchema } from './compose-input';
import { instructionsSection } from './instructions';
import { overviewSection } from './overview';
import { reportingSection } from './reporting';
import { validateTooling } from './tool-rules';
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
  const hasTranscript = sections.some(({ path }) => pathKey(path) === pathKey(transcriptPath(sections)));
  const after = [
    detailsSection(input.delegation, { redactions: applied, transcript: !hasTranscript }),
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
