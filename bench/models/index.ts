import type { Script } from '../../testing/scripted-model';
import { batch } from './batch';
import { fanOut } from './fan-out';
import { handoff } from './handoff';
import { idle } from './idle';
import { largeRun } from './large-run';
import { noise } from './noise';
import { replay } from './replay';
import { sessionWrites } from './session-writes';
import { workspaceImport } from './workspace-import';

const scripts: Readonly<Record<string, Script>> = {
  batch,
  'fan-out': fanOut,
  handoff,
  idle,
  'large-run': largeRun,
  noise,
  replay,
  'session-writes': sessionWrites,
  'workspace-import': workspaceImport,
};

/** Returns the script of a benchmark by its name. */
export function findScript(name: string): Script {
  const script = scripts[name];
  if (script === undefined) throw new Error(`Unknown script "${name}"`);
  return script;
}
