import { children } from '../children';
import { cliStart } from '../cli-start';
import { compose } from '../compose';
import { fanOut } from '../fan-out';
import { firstCall } from '../first-call';
import { growth } from '../growth';
import { handoff } from '../handoff';
import { largeRun } from '../large-run';
import { memory } from '../memory';
import { besideOthers } from '../peers/benchmark';
import { replay } from '../replay';
import { sessionWrites } from '../session-writes';
import { sharedBatch } from '../shared-batch';
import { singleAgent } from '../single-agent';
import { storeAmplification } from '../store-amplification';
import { storeTurn } from '../store-turn';
import { ui } from '../ui';
import { workspaceImport } from '../workspace-import';
import type { Benchmark } from './benchmark';

/** All benchmarks, in the order in which they run. */
export const benchmarks: readonly Benchmark[] = [
  fanOut,
  sharedBatch,
  children,
  singleAgent,
  firstCall,
  growth,
  replay,
  storeAmplification,
  storeTurn,
  compose,
  sessionWrites,
  memory,
  workspaceImport,
  cliStart,
  ui,
  handoff,
  largeRun,
  besideOthers,
];
