import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  agentPrompt,
  type ComposedPrompt,
  composePrompt,
  type CompositionResult,
  definePrompt,
  renderPrompt,
  wrapPrompt,
} from '../../../domain/prompt';
import type { ComposeDocument } from '../../../domain/prompt/compose/compose-input';
import type { FailedComposition } from '../../../domain/prompt/result';
import type { WrapDocument } from '../../../domain/prompt/wrap/wrap-input';

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A prompt with nested sections and a parameter, as a project might define it. */
export const reviewer = definePrompt({
  ns: 'acme',
  key: 'reviewer',
  description: 'Reviews a change.',
  parameters: z.object({ repo_root: z.string().describe('Where the repository stands') }),
  sections: [
    { key: 'task', title: 'Task', template: 'Review the change in ${repo_root}.' },
    {
      key: 'policies',
      title: 'Policies',
      children: [
        { key: 'style', title: 'Style', template: 'Two spaces. “Quotes” are typographic.' },
        { key: 'secrets', title: 'Secrets', template: 'The token is kept in the vault.' },
      ],
    },
  ],
});

export const parentPrompt = renderPrompt(reviewer.definition, { parameters: { repo_root: 'services/billing' } });

export function composeDocument(): ComposeDocument {
  return {
    parent: {
      agentId: 'run/2024-billing',
      promptNs: parentPrompt.ns,
      promptKey: parentPrompt.key,
      rendered: parentPrompt.markdown,
      sections: parentPrompt.sections.map(({ path, start, end }) => ({ path: [...path], start, end })),
      parameters: parentPrompt.parameters,
    },
    delegation: {
      reason: 'The rounding rules need someone who reads all of them.',
      expectedCompletion: 'a list of wrong roundings, each with a failing example',
      mayDelegateFurther: true,
      taskSummary: 'Check every place that rounds an amount.\n\nStart with the invoices; the refunds reuse their code.',
      requiredOutputs: ['A table of findings: file, line, amount in, amount out.', 'One failing example per finding.'],
      scope: { include: ['services/billing'], exclude: ['generated code', 'tests'] },
      additionalContext: [
        {
          title: 'Failing job',
          source: 'ci/billing/1871',
          timestamp: '2024-05-02T09:30:00Z',
          body: 'FAIL round.test\n```\nexpected 0.13, got 0.12\n```\n# not a heading',
        },
      ],
    },
    instructions: {
      role: 'You are a careful auditor of arithmetic.',
      principles: ['Prove every finding with numbers.', 'Prefer one certain finding to five guesses.'],
      escalation: {
        stopWhen: ['every rounding site is listed', 'the code does not build'],
        blockers: ['missing read access'],
        partialProgress: 'Return the table as far as it goes, and say where you stopped.',
      },
      policies: {
        inherited: [['policies', 'style']],
        relaxed: [{ path: ['task'], how: 'Only rounding is reviewed.', reason: 'the rest is reviewed elsewhere' }],
        added: ['Never change a file.'],
      },
      toolPolicies: [{ tool: 'write_file', text: 'You cannot write: put proposed changes into the report.' }],
    },
    tooling: {
      tools: [
        {
          name: 'read_file',
          id: 'workspace.read_file',
          success: 'returns the text of the file',
          cost: 'one call, up to 4,000 tokens',
          access: 'inherited',
          provenance: 'built in',
        },
        {
          name: 'write_file',
          id: 'workspace.write_file',
          success: 'the file has the new text',
          cost: 'one call',
          access: 'revoked',
          provenance: 'built in',
          reason: 'an audit must not change what it audits',
          alternative: 'describe the change in the report',
        },
      ],
      added: [
        {
          name: 'decimal',
          id: 'acme.decimal',
          success: 'returns the exact result',
          cost: 'free',
          provenance: 'project acme',
        },
      ],
      environment: {
        workingDirectory: 'services/billing',
        authScopes: ['repo:read'],
        rateLimits: ['60 calls a minute'],
      },
    },
    reporting: {
      format: 'Markdown with one table under `## Findings`.',
      attachments: [{ name: 'findings.csv', upload: '`write_artifact` with the same name' }],
      deadline: '2024-05-03T12:00:00Z',
      cadence: 'a line after every ten files',
      citations: 'Cite file and line for every claim.',
    },
    redactions: [{ path: ['policies', 'secrets'], reason: 'the audit needs no credentials' }],
    position: { parentDelegationId: null, runId: '2024-billing', ordinal: 3 },
    limits: { maxBytes: 2_000_000 },
  };
}

export function wrapDocument(): WrapDocument {
  const goal = 'Find out why the nightly export is slow, and propose one change.';
  return {
    parent: {
      prompt: renderPrompt(agentPrompt.definition, { parameters: agentPrompt.bind({ goal }) }).markdown,
      output: {
        container: 'object',
        allowExtraKeys: false,
        fields: [
          { name: 'cause', description: 'What makes it slow.', rules: 'One sentence.' },
          { name: 'share', description: 'How much of the time that is.', rules: 'Between 0 and 1.' },
        ],
        reporting: ['Give times in seconds.'],
      },
    },
    delegation: {
      reason: 'The database can be examined while the parent reads the code.',
      expectedResult: 'The slowest query with its plan.',
      mayDelegateFurther: false,
      recapLines: ['Look at the slow query log first.', 'Explain the plan of the worst one.'],
    },
    adapter: { nativeStructuredOutput: false },
    position: { parentDelegationId: null, runId: 'nightly', ordinal: 0 },
  };
}

/** The minimal document of each kind. */
export function bareCompose(rendered: string, more: object = {}): object {
  return {
    parent: { agentId: 'a', promptNs: 'n', promptKey: 'k', rendered },
    delegation: { reason: 'r', expectedCompletion: 'e', mayDelegateFurther: true, taskSummary: 't' },
    ...more,
  };
}

export function bareWrap(prompt: string, more: object = {}): object {
  return { parent: { prompt }, delegation: { reason: 'r', expectedResult: 'e', mayDelegateFurther: false }, ...more };
}

export function succeeded(result: CompositionResult): ComposedPrompt {
  if (!result.ok) throw new Error(`${result.error.type} ${result.error.field}: ${result.error.reason}`);
  return result;
}

export function refused(result: CompositionResult): FailedComposition['error'] {
  if (result.ok) throw new Error('It was composed');
  return result.error;
}

export const compose = (document: unknown): ComposedPrompt => succeeded(composePrompt(document, { sha256 }));
export const wrap = (document: unknown): ComposedPrompt => succeeded(wrapPrompt(document, { sha256 }));
