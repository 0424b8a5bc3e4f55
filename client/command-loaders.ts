import type { Command } from 'commander';
import type { CliContext } from './context';
import { queriedFiles } from './workspace/queried-files';

type MakeCommand = (context: CliContext) => Command;

/**
 * All commands by name, in the order of the help: start, inspect, decide, clean up. Each is loaded on demand, because
 * loading all of them takes longer than most commands take to run.
 */
export const commandLoaders: Readonly<Record<string, () => Promise<MakeCommand>>> = {
  dev: async () => (await import('./commands/dev.js')).devCommand,
  worker: async () => (await import('./commands/worker.js')).workerCommand,
  run: async () => (await import('./commands/run.js')).runCommand,
  relay: async () => (await import('./commands/relay.js')).relayCommand,
  list: async () => (await import('./commands/list.js')).listCommand,
  show: async () => (await import('./commands/show.js')).showCommand,
  tree: async () => (await import('./commands/tree.js')).treeCommand,
  why: async () => (await import('./commands/why.js')).whyCommand,
  tail: async () => (await import('./commands/tail.js')).tailCommand,
  report: async () => (await import('./commands/report.js')).reportCommand,
  cancel: async () => (await import('./commands/cancel.js')).cancelCommand,
  pause: async () => (await import('./commands/steering.js')).pauseCommand,
  resume: async () => (await import('./commands/steering.js')).resumeCommand,
  steer: async () => (await import('./commands/steering.js')).steerCommand,
  retry: async () => (await import('./commands/retry.js')).retryCommand,
  amend: async () => (await import('./commands/amend.js')).amendCommand,
  skip: async () => (await import('./commands/decisions.js')).skipCommand,
  abort: async () => (await import('./commands/decisions.js')).abortCommand,
  approve: async () => (await import('./commands/decisions.js')).approveCommand,
  deny: async () => (await import('./commands/decisions.js')).denyCommand,
  gc: async () => (await import('./commands/gc.js')).gcCommand,
  doctor: async () => (await import('./commands/doctor.js')).doctorCommand,
  demo: async () => (await import('./commands/demo.js')).demoCommand,
  prompt: async () => (await import('./commands/prompt.js')).promptCommand,
  audit: async () => (await import('./commands/audit.js')).auditCommand,
  diff: async () => aboutFiles((await import('./commands/diff.js')).diffCommand),
  apply: async () => aboutFiles((await import('./commands/apply.js')).applyCommand),
  artifacts: async () => aboutFiles((await import('./commands/artifacts.js')).artifactsCommand),
  compose: async () => offline((await import('./commands/compose.js')).composeCommand),
  wrap: async () => offline((await import('./commands/wrap.js')).wrapCommand),
  extract: async () => offline((await import('./commands/extract.js')).extractCommand),
  skills: async () => offline((await import('./commands/skills.js')).skillsCommand),
  relays: async () => offline((await import('./commands/relays.js')).relaysCommand),
};

/** Adapts a command that works on the files of a run. */
function aboutFiles(make: (context: CliContext, files: typeof queriedFiles) => Command): MakeCommand {
  return (context) => make(context, queriedFiles);
}

/** Adapts a command that needs neither a server nor a store. */
function offline(make: (terminal: CliContext['terminal']) => Command): MakeCommand {
  return ({ terminal }) => make(terminal);
}
