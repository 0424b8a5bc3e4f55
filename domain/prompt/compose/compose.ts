import { redact } from '../redactions';
import { requireSoundIndex } from '../checks/sections';
import type { ParentPrompt } from '../detach-prompt';
import type { Draft } from '../draft';
import { envelope } from '../envelope';
import type { HashingOptions } from '../hashing';
import { layOut } from '../layout';
import { levelOf, pathOfLevel, transcriptPath } from '../level';
import type { CompositionResult } from '../result';
import type { Style } from '../compose-or-wrap';
import { runStyle, runStyleOver } from '../compose-or-wrap';
import { pathKey } from '../sections';
import { details } from './details';
import { checkFields } from './rules';
import type { CompositionInput } from './compose-input';
import { compositionSchema } from './compose-input';
import { instructions } from './instructions';
import { overview } from './overview';
import { reporting } from './reporting';
import { requireSoundTooling } from './tool-rules';
import { tooling } from './tooling';

const sixSections: Style<CompositionInput> = {
  name: 'sections',
  schema: compositionSchema,
  reference: 'docs/reference/compose-input.schema.json',
  promptKey: 'rendered',
  draft,
};

/** Composes a six-section prompt from one JSON document that contains the parent's prompt. */
export function composePrompt(document: unknown, options: HashingOptions = {}): CompositionResult {
  return runStyle(sixSections, document, options);
}

/**
 * Composes a six-section prompt from a parent's prompt that is given as bytes. A pure function: the same input gives the
 * same bytes and the same id on every machine.
 */
export function composePromptOver(
  parent: ParentPrompt,
  input: unknown,
  options: HashingOptions = {},
): CompositionResult {
  return runStyleOver(sixSections, parent, input, options);
}

function draft(parent: Uint8Array, input: CompositionInput, delegationId: string): Draft {
  const fields = checkFields(input);
  requireSoundTooling(input);
  const sections = input.parent.sections ?? [];
  requireSoundIndex(parent, sections);
  const { applied, embedding } = redact(parent, sections, input.redactions ?? []);
  const own = pathOfLevel(levelOf(sections) + 1);
  const hasTranscript = sections.some(({ path }) => pathKey(path) === pathKey(transcriptPath(sections)));
  const after = [
    details(input.delegation, { redactions: applied, transcript: !hasTranscript }),
    instructions(input, embedding),
    tooling(input.tooling ?? {}),
    reporting(input.reporting ?? {}),
  ];
  const whole = envelope({
    before: layOut([overview(input, delegationId)], { level: 1, path: own, followed: true }),
    parentPrompt: { path: [...own, 'parent-prompt'], heading: '## Parent Prompt' },
    after: layOut(after, { level: 2, path: own }),
    embedding,
  });
  return { whole, embedding, redactions: applied, fields };
}
