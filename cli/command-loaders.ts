import type { Command } from 'commander';
import type { CliContext } from './context-merging';
import { queriedFiles } from '../client/workspace/queried-files';

type MakeCommand = (context: CliContext) => Command;

/**
 * All commands by name, in the order of the help: start, inspect, decide, clean up. Each is loaded on demand, because
 * loading all of them takes longer than most commands take to run.
 */
export const commandLoaders: Readonly<Record<string, () => Promise<MakeCommand>>> = {
  dev: async () => (await import('./service/dev.js')).devCommand,
  worker: async () => (await import('./service/worker.js')).workerCommand,
  run: async () => (await import('./agent/run.js')).runCommand,
  relay: async () => (await import('./relay/relay.js')).relayCommand,
  list: async () => (await import('./agent/list.js')).listCommand,
  show: async () => (await import('./agent/show.js')).showCommand,
  tree: async () => (await import('./delegation/tree.js')).treeCommand,
  why: async () => (await import('./agent/why.js')).whyCommand,
  tail: async () => (await import('./agent/tail.js')).tailCommand,
  report: async () => (await import('./report/report.js')).reportCommand,
  cancel: async () => (await import('./operator/cancel.js')).cancelCommand,
  pause: async () => (await import('./operator/steering.js')).pauseCommand,
  resume: async () => (await import('./operator/steering.js')).resumeCommand,
  steer: async () => (await import('./operator/steering.js')).steerCommand,
  retry: async () => (await import('./operator/retry.js')).retryCommand,
  amend: async () => (await import('./operator/amend.js')).amendCommand,
  skip: async () => (await import('./operator/decisions.js')).skipCommand,
  abort: async () => (await import('./operator/decisions.js')).abortCommand,
  approve: async () => (await import('./operator/decisions.js')).approveCommand,
  deny: async () => (await import('./operator/decisions.js')).denyCommand,
  gc: async () => (await import('./service/gc.js')).gcCommand,
  doctor: async () => (await import('./service/doctor.js')).doctorCommand,
  demo: async () => (await import('./demo/demo.js')).demoCommand,
  prompt: async () => (await import('./prompt/prompt.js')).promptCommand,
  audit: async () => (await import('./prompt/audit.js')).auditCommand,
  diff: async () => aboutFiles((await import('./workspace/diff.js')).diffCommand),
  apply: async () => aboutFiles((await import('./workspace/apply.js')).applyCommand),
  artifacts: async () => aboutFiles((await import('./workspace/artifacts.js')).artifactsCommand),
  compose: async () => offline((await import('./prompt/compose.js')).composeCommand),
  wrap: async () => offline((await import('./prompt/wrap.js')).wrapCommand),
  extract: async () => offline((await import('./prompt/extract.js')).extractCommand),
  skills: async () => offline((await import('./skill/skills.js')).skillsCommand),
  relays: async () => offline((await import('./relay/relays.js')).relaysCommand),
};

/** Adapts a command that works on the files of a run. */
function aboutFiles(make: (context: CliContext, files: typeof queriedFiles) => Command): MakeCommand {
  return (context) => make(context, queriedFiles);
}

/** Adapts a command that needs neither a server nor a store. */
function offline(make: (terminal: CliContext['terminal']) => Command): MakeCommand {
  return ({ terminal }) => make(terminal);
}
