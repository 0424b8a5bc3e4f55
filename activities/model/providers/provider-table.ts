/** A server that speaks the Chat Completions API, for which no package has to be installed. */
export interface ChatServer {
  /** Base URL, if the variable is not set. */
  readonly baseUrl: string;
  /** Environment variable with another base URL. */
  readonly baseUrlVariable: string;
  /** Environment variable with the API key. Undefined if the server needs none. */
  readonly keyVariable?: string;
  /** Package that is used instead if it is installed and no other base URL is set. */
  readonly preferred?: ProviderPackage;
}

/** A provider of the AI SDK, which a project installs if it uses one of its models. */
export interface ProviderPackage {
  readonly name: string;
  /** Major version whose interface Baton knows and which runs on Node.js 20 and newer. */
  readonly major: number;
  /** Function that the package exports. It returns a provider and accepts a `fetch`. */
  readonly factory: string;
  /**
   * Environment variables that the package reads its credentials from: one of these lists must be set completely. Empty
   * if it needs none.
   */
  readonly credentials: readonly (readonly string[])[];
  /** Whether the provider makes a model answer in a JSON schema. */
  readonly structuredOutput: boolean;
}

const openAiPackage: ProviderPackage = {
  name: '@ai-sdk/openai',
  major: 3,
  factory: 'createOpenAI',
  credentials: [['OPENAI_API_KEY']],
  structuredOutput: true,
};

/** Servers that Baton can use without another package, by the prefix of their models. */
export const chatServers: Readonly<Record<string, ChatServer>> = {
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    baseUrlVariable: 'BATON_OPENAI_BASE_URL',
    keyVariable: 'OPENAI_API_KEY',
    preferred: openAiPackage,
  },
  ollama: { baseUrl: 'http://127.0.0.1:11434/v1', baseUrlVariable: 'OLLAMA_BASE_URL' },
  openrouter: {
    baseUrl: 'https://openrouter.ai/api/v1',
    baseUrlVariable: 'OPENROUTER_BASE_URL',
    keyVariable: 'OPENROUTER_API_KEY',
  },
};

/** Providers whose package a project installs, by the prefix of their models. */
export const providerPackages: Readonly<Record<string, ProviderPackage>> = {
  azure: {
    name: '@ai-sdk/azure',
    major: 3,
    factory: 'createAzure',
    credentials: [['AZURE_API_KEY', 'AZURE_RESOURCE_NAME']],
    structuredOutput: true,
  },
  bedrock: {
    name: '@ai-sdk/amazon-bedrock',
    major: 4,
    factory: 'createAmazonBedrock',
    credentials: [
      ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_REGION'],
      ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION'],
    ],
    structuredOutput: false,
  },
  cerebras: {
    name: '@ai-sdk/cerebras',
    major: 2,
    factory: 'createCerebras',
    credentials: [['CEREBRAS_API_KEY']],
    structuredOutput: false,
  },
  cohere: {
    name: '@ai-sdk/cohere',
    major: 3,
    factory: 'createCohere',
    credentials: [['COHERE_API_KEY']],
    structuredOutput: false,
  },
  deepseek: {
    name: '@ai-sdk/deepseek',
    major: 2,
    factory: 'createDeepSeek',
    credentials: [['DEEPSEEK_API_KEY']],
    structuredOutput: false,
  },
  fireworks: {
    name: '@ai-sdk/fireworks',
    major: 2,
    factory: 'createFireworks',
    credentials: [['FIREWORKS_API_KEY']],
    structuredOutput: false,
  },
  google: {
    name: '@ai-sdk/google',
    major: 3,
    factory: 'createGoogleGenerativeAI',
    credentials: [['GOOGLE_GENERATIVE_AI_API_KEY']],
    // Its API rejects a schema together with tools.
    structuredOutput: false,
  },
  groq: {
    name: '@ai-sdk/groq',
    major: 3,
    factory: 'createGroq',
    credentials: [['GROQ_API_KEY']],
    structuredOutput: false,
  },
  mistral: {
    name: '@ai-sdk/mistral',
    major: 3,
    factory: 'createMistral',
    credentials: [['MISTRAL_API_KEY']],
    structuredOutput: false,
  },
  togetherai: {
    name: '@ai-sdk/togetherai',
    major: 2,
    factory: 'createTogetherAI',
    credentials: [['TOGETHER_API_KEY'], ['TOGETHER_AI_API_KEY']],
    structuredOutput: false,
  },
  vertex: {
    name: '@ai-sdk/google-vertex',
    major: 4,
    factory: 'createVertex',
    credentials: [['GOOGLE_VERTEX_API_KEY'], ['GOOGLE_VERTEX_PROJECT', 'GOOGLE_VERTEX_LOCATION']],
    structuredOutput: false,
  },
  xai: {
    name: '@ai-sdk/xai',
    major: 3,
    factory: 'createXai',
    credentials: [['XAI_API_KEY']],
    structuredOutput: true,
  },
};

/** Environment variables of all providers whose values are secrets. */
export const secretVariables: readonly string[] = [
  ...Object.values(chatServers).flatMap(({ keyVariable = [] }) => keyVariable),
  ...Object.values(providerPackages).flatMap(({ credentials }) => credentials.flat()),
].filter((name) => /KEY|TOKEN|SECRET/.test(name));
