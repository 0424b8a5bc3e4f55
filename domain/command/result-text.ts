import { truncateText } from '../kernel';

/** How a command ended. Everything but `exited` means that the engine ended it. */
export type CommandEnding = 'exited' | 'timeout' | 'output' | 'processes' | 'memory' | 'disk';

/** What a command did to the files of the workspace. */
export interface ChangedPaths {
  readonly created: readonly string[];
  readonly edited: readonly string[];
  readonly deleted: readonly string[];
}

/** One of the two outputs of a command. */
export interface OutputText {
  readonly name: 'stdout' | 'stderr';
  readonly text: string;
}

/** Everything that the text for the model states about a command. */
export interface CommandReport {
  readonly ending: CommandEnding;
  /** Exit code; null if a signal ended the command. */
  readonly exitCode: number | null;
  readonly seconds: number;
  /** The limit that was reached, in words such as `120 seconds`; undefined for a command that exited by itself. */
  readonly limit?: string | undefined;
  readonly outputs: readonly OutputText[];
  /** Name of the artifact with the complete output; undefined if the text shows all of it. */
  readonly artifact?: string | undefined;
  readonly files: ChangedPaths;
  /** Whole sentences about what was not recorded. */
  readonly remarks: readonly string[];
}

/** Maximum lines and characters of each output that the model sees. The end is shown, because errors are there. */
const shownLines = 60;
const shownCharacters = 6_000;
/** Maximum paths that the text lists of each kind. */
const shownPaths = 20;

/** Escape sequences of terminals, such as colours. */
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-_])/g;

/** Returns a text without colours and other escape sequences, and with plain line ends. */
export function plainOutput(text: string): string {
  return text.replace(escapes, '').replace(/\r\n/g, '\n');
}

/** The end of an output, and whether it is all of it. */
export interface OutputEnd {
  readonly text: string;
  readonly lines: number;
  readonly shown: number;
  readonly isWhole: boolean;
}

/** Returns the last lines of an output. */
export function endOfOutput(output: string): OutputEnd {
  const lines = output.replace(/\n$/, '').split('\n');
  const last = lines.slice(-shownLines);
  while (last.length > 1 && last.join('\n').length > shownCharacters) last.shift();
  const joined = last.join('\n');
  const text = joined.length > shownCharacters ? joined.slice(-shownCharacters) : joined;
  const isWhole = last.length === lines.length && text.length === joined.length;
  return { text, lines: output === '' ? 0 : lines.length, shown: last.length, isWhole };
}

/** Describes the end of a command to the model that called it. */
export function describeCommand(report: CommandReport): string {
  const { outputs, artifact, remarks, files } = report;
  return [
    describeEnding(report),
    ...outputs.flatMap(describeOutput),
    ...(artifact === undefined ? [] : [`The complete output is the artifact "${artifact}": use read_artifact.`]),
    ...describeFiles(files),
    ...remarks,
  ].join('\n');
}

const endings: Readonly<Record<Exclude<CommandEnding, 'exited'>, string>> = {
  timeout: 'it did not end in time',
  output: 'it wrote too much output',
  processes: 'it started too many processes',
  memory: 'it used too much memory',
  disk: 'it filled the disk',
};

/** Exit code of a shell whose command was ended by SIGKILL. */
const killed = 137;

function describeEnding({ ending, exitCode, seconds, limit = '' }: CommandReport): string {
  const time = `after ${seconds.toFixed(1)} s`;
  if (ending !== 'exited') return `The command was ended ${time}: ${endings[ending]} (limit: ${limit}).`;
  if (exitCode === null) return `The command was ended by a signal ${time}.`;
  const hint = exitCode === killed ? ' It was killed, perhaps because it used too much memory.' : '';
  return `Exit code ${exitCode} ${time}.${hint}`;
}

function describeOutput({ name, text }: OutputText): string[] {
  if (text === '') return [];
  const end = endOfOutput(text);
  const part = end.isWhole ? '' : ` (last ${end.shown} of ${end.lines} lines)`;
  return [`--- ${name}${part}`, end.text, `--- end of ${name}`];
}

function describeFiles({ created, edited, deleted }: ChangedPaths): string[] {
  const kinds = [
    ['Created', created],
    ['Changed', edited],
    ['Deleted', deleted],
  ] as const;
  const lines = kinds.flatMap(([kind, paths]) => (paths.length === 0 ? [] : [`${kind}: ${listPaths(paths)}`]));
  return lines.length === 0 ? ['No file of the workspace changed.'] : lines;
}

/** Lists paths in one line, at most 20 of them. */
export function listPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, shownPaths).map((path) => truncateText(JSON.stringify(path), 200));
  const more = paths.length - shown.length;
  return `${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
