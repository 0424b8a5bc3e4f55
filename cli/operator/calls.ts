import { Command } from 'commander';
import { InvalidInputError, type JsonObject, parseStrictJson } from '../../domain/kernel';
import type { CliContext } from '../context';
import { decisionHelp, type DecisionOptions, submitDecision, withDecision } from './decision-options';

interface CallOptions extends DecisionOptions {
  readonly always?: boolean;
  readonly edit?: string;
}

/** `baton approve`: grants a requested tool, or allows a call that needs approval. */
export function approveCommand(context: CliContext): Command {
  return deciding('approve', 'grant an agent the tool, or allow the call, that it asks for')
    .option(
      '--edit <json>',
      "make the call with these arguments instead of the model's: a JSON object with all of them",
    )
    .addHelpText(
      'after',
      decisionHelp(
        'approve',
        `  $ baton approve 20261116-031522-k3f9q1 i2 --always
  $ baton approve 20261116-031522-k3f9q1 i2 --edit '{"command":"git push --dry-run"}'
`,
      ),
    )
    .action((target: string, named: string | undefined, { always, edit, ...options }: CallOptions) =>
      submitDecision(context, target, withIncident(options, named), {
        action: 'approve',
        ...(always === true ? { always } : {}),
        ...(edit === undefined ? {} : { edit: parseEdit(edit) }),
      }),
    );
}

/** `baton deny`: refuses a requested tool or call. */
export function denyCommand(context: CliContext): Command {
  return deciding('deny', 'refuse an agent the tool or the call that it asks for; the agent sees --note as the reason')
    .addHelpText('after', decisionHelp('deny', '  $ baton deny 20261116-031522-k3f9q1 i2 --note "only on branches"\n'))
    .action((target: string, named: string | undefined, { always, ...options }: CallOptions) =>
      submitDecision(context, target, withIncident(options, named), {
        action: 'deny',
        ...(always === true ? { always } : {}),
      }),
    );
}

/** `baton answer`: answers a question that an agent asked with `ask_operator`. */
export function answerCommand(context: CliContext): Command {
  return withDecision(new Command('answer').description('answer a question of an agent'))
    .argument('<text>', 'the answer: any text or, if the question has options, one of them or its number')
    .option('--json', 'print JSON')
    .addHelpText('after', answerHelp)
    .action((target: string, text: string, options: DecisionOptions) =>
      submitDecision(context, target, options, { action: 'answer', text }),
    );
}

const answerHelp = `
If the root agent has no open question, the command applies to the only agent below it that has one. If there are several,
they are listed with the command for each.

Examples:
  $ baton answer 20261116-031522-k3f9q1 "Use the branch release-7."
  $ baton answer 20261116-031522-k3f9q1/4f7s9k2m 2
`;

function deciding(action: 'approve' | 'deny', description: string): Command {
  return withDecision(new Command(action).description(description))
    .argument('[incident]', 'incident id, such as i1; needed only if there are several')
    .option('--always', 'also decide so about further such calls, by this agent and those below it, until the run ends')
    .option('--json', 'print JSON');
}

function withIncident(options: DecisionOptions, named: string | undefined): DecisionOptions {
  if (named === undefined) return options;
  if (options.incident === undefined || options.incident === named) return { ...options, incident: named };
  throw new InvalidInputError(
    '--incident',
    `it is ${options.incident}, but ${named} is given too`,
    'Name one incident.',
  );
}

const editRemedy = `Pass a JSON object with all arguments of the call, such as '{"path":"a.txt","content":"b"}'.`;

function parseEdit(text: string): JsonObject {
  let value: unknown;
  try {
    value = parseStrictJson(text);
  } catch (error) {
    throw new InvalidInputError('--edit', `it is not valid JSON (${(error as Error).message})`, editRemedy);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new InvalidInputError('--edit', 'it is not a JSON object', editRemedy);
}
