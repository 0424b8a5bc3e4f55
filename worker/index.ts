// Entry `baton-agents/worker`: what a project needs to run a worker with its own tools and prompts.
export { createAnthropicModel, type AnthropicSettings } from '../activities/model/anthropic-model';
export {
  type AiSdkLanguageModel,
  type AiSdkModelSource,
  type AiSdkSettings,
  createAiSdkModel,
} from '../activities/model/ai-sdk/ai-sdk-model';
export { createModelRouter } from '../activities/model/model-router';
export {
  createOpenAiCompatibleModel,
  type OpenAiCompatibleSettings,
} from '../activities/model/providers/openai-compatible-model';
export { type ProviderEnvironment, standardProviders } from '../activities/model/providers/standard-providers';
export type { CallLimitSettings } from '../activities/model/with-timeouts';
export type { ModelAnswer, ModelPort, ModelRequest } from '../activities/dependencies';
export {
  defineTool,
  ToolError,
  type Tool,
  type ToolContext,
  type ToolReturn,
  type ToolSpec,
} from '../activities/tool/define-tool';
export type { CommandLimits } from '../activities/command/limits';
export type { McpLimits } from '../activities/mcp/servers';
export type { ImportLimits, WorkspaceOptions } from '../activities/workspace/import-limits';
export type { DefinitionControls } from '../domain/agent';
export { promptSubagentToolsSection, skillsSection, subagentsSection } from '../domain/delegation/prepare';
export type { McpGrants, McpServerEntry } from '../domain/mcp';
export type {
  ContentBlock,
  Message,
  ModelCapabilities,
  ModelCatalog,
  ModelPreferences,
  ModelSettings,
  ModelWishes,
  ProviderData,
  ReplyBlock,
  StopReason,
  ToolResultBlock,
  Usage,
} from '../domain/model';
export type { ApprovalRule } from '../domain/tool';
export {
  definePrompt,
  type AuthoredPrompt,
  type PromptDefaults,
  type PromptDefinition,
  type SectionSpec,
} from '../domain/prompt';
export type { JsonSchema, OutputFormat } from '../domain/prompt/output';
export {
  BlobCorruptError,
  BlobMissingError,
  type BlobRef,
  EncryptedDamagedError,
  type JournalEntry,
  KeyMissingError,
  type RunStore,
  type Store,
  type StoreCheck,
  type StoredRun,
  StoreError,
  StoreFullError,
  StoreUnavailableError,
} from '../domain/store';
export { builtInToolNames } from '../domain/tool';
export { clientDataConverter } from '../encryption/data-converter';
export { type EncryptionKey, type EncryptionKeys, KeyRing } from '../encryption/key-ring';
export { openFileStore } from '../store/file/open-file-store';
export { openStore, type OpenStoreOptions, type StoreSettings } from '../store/open-store';
export { connectClient, type ConnectedClient } from '../temporal-config/node/connect-client';
export { connectWorker } from '../temporal-config/node/connect-worker';
export { resolveConnection, type ResolvedConnection } from '../temporal-config/node/connection';
export { readSettings, type Settings } from '../temporal-config/node/settings';
export { createBatonWorker } from './create-worker';
export { BatonPlugin } from './plugin/baton-plugin';
export { projectMcpServers } from './mcp/mcp-servers';
export type { CommandOptions } from './open-commands';
export { projectRelays, projectSkills } from './project-skills';
export type { RedactSettings } from './redact';
export type { BatonWorker } from './stoppable-worker';
export type { BatonPluginOptions, BatonWorkerOptions } from './worker-options';
export type { WorkerSlots } from '../temporal-config/task-queues';
export { runWorker, type WorkerEnvironment } from './run-worker';
export type { TraceOptions, Traces } from './trace/telemetry';
export { traceTo } from './run-worker';
