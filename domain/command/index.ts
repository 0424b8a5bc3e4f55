// Commands of agents: who may run them, what a call looks like, and what the model is shown.
export {
  type CommandGrant,
  commandGrantSchema,
  type CommandSettings,
  commandSettingsSchema,
  isSafeToRepeat,
  narrowCommands,
} from './command-settings';
export {
  type ChangedPaths,
  type CommandEnding,
  describeCommand,
  endOfOutput,
  listPaths,
  type OutputText,
  plainOutput,
} from './result-text';
export {
  defaultCommandSeconds,
  runCommandDescription,
  runCommandName,
  type RunCommandInput,
  runCommandSchema,
} from './run-command';
