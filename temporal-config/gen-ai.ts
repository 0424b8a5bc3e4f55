// Names of OpenTelemetry's conventions for generative AI, as of this revision of their repository:
// open-telemetry/semantic-conventions-genai@002c8a6ea1c8a42b14a4527db83b3cabcded610a. They have no release yet, and all
// of them may still change, so every name that Baton uses is in this file.

/** Operations. The name of a span is its operation, followed by the name of the agent, model, tool or workflow. */
export const genAiOperations = {
  agent: 'invoke_agent',
  chat: 'chat',
  tool: 'execute_tool',
  workflow: 'invoke_workflow',
} as const;

/** Attributes of spans. */
export const genAi = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  conversationId: 'gen_ai.conversation.id',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  workflowName: 'gen_ai.workflow.name',
  requestModel: 'gen_ai.request.model',
  requestMaxTokens: 'gen_ai.request.max_tokens',
  requestTemperature: 'gen_ai.request.temperature',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  /** All kinds of input tokens together, cached ones included. */
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCallId: 'gen_ai.tool.call.id',
  errorType: 'error.type',
} as const;

/** Attributes with what users, models and tools wrote. They are recorded only on request. */
export const genAiContents = {
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
} as const;

/** Type of an error that a tool reported to the model, in the conventions for MCP. */
export const toolErrorType = 'tool_error';

/** The conventions' names of providers that have another one in the names of models. */
const providerNames: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  vertex: 'gcp.vertex_ai',
  xai: 'x_ai',
};

/** Returns the conventions' name of a provider; any other provider keeps its own. */
export function genAiProvider(provider: string): string {
  return Object.hasOwn(providerNames, provider) ? (providerNames[provider] ?? provider) : provider;
}

/** Field of an output message that says why it ended. */
export const genAiFinishReasonField = 'finish_reason';

/** The conventions' names of the reasons why a reply ended. */
const finishReasons: Readonly<Record<string, string>> = {
  done: 'stop',
  stopSequence: 'stop',
  toolCalls: 'tool_call',
  outputLimit: 'length',
  contextExceeded: 'length',
  refused: 'content_filter',
};

/** Returns the conventions' name of a stop reason; any other one is passed on. */
export function genAiFinishReason(stopReason: string): string {
  return Object.hasOwn(finishReasons, stopReason) ? (finishReasons[stopReason] ?? stopReason) : stopReason;
}
