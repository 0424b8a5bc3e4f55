import type { BenchEnvironment } from '../support/environment';

/** One figure of a benchmark, as `--json` prints it. */
export interface Figure {
  readonly name: string;
  /** Median of Baton's values. */
  readonly value: number;
  readonly unit: string;
  /** Median of the baseline's values; null where there is nothing to compare with. */
  readonly baseline: number | null;
  /** `value` over `baseline`. */
  readonly ratio: number | null;
  /** Measured pairs, or repetitions without a baseline. */
  readonly rounds: number;
  /** Lowest and highest ratio of a single pair; without a baseline, lowest and highest value. */
  readonly low: number;
  readonly high: number;
}

/** A figure, and how to judge it. */
export interface Row extends Figure {
  /** Whether more or less is better. */
  readonly wants: 'more' | 'less';
  /** What a full run must keep to; undefined if any figure is fine. */
  readonly bound: { readonly of: 'ratio' | 'value'; readonly is: number } | undefined;
}

/** What a benchmark gets from the command line, and what it may use. */
export interface BenchContext {
  /** Whether somebody asked for one of these names, or for everything. */
  wants(...names: readonly string[]): boolean;
  /** Only check that the benchmark runs: sizes are as small as possible, and figures mean nothing. */
  readonly quick: boolean;
  /** Rounds to measure, given those that the benchmark measures by default. */
  rounds(usual: number): number;
  /** Whether to count events, file operations and promises as well. */
  readonly counters: boolean;
  /** Reports progress. */
  log(line: string): void;
  /** Starts the server, the store and the model, which plays a script of `models/`. */
  environment(script: string): Promise<BenchEnvironment>;
  /** Creates an empty folder that is removed after the benchmark. */
  folder(): Promise<string>;
}

/** A benchmark measures one thing under one or more names. */
export interface Benchmark {
  /** Names to select it by. It may return further rows, whose names begin with one of these. */
  readonly names: readonly string[];
  /** What it measures, and the baseline. */
  readonly about: string;
  /** Not part of a run without names. */
  readonly onlyByName?: true;
  run(context: BenchContext): Promise<readonly Row[]>;
}
