import { createActivities } from '../../activities/create-activities';
import type { ActivityDependencies } from '../../activities/dependencies';
import type { AgentActivities } from '../../activities/interface';
import { limitModel } from '../../activities/model/limited-model';
import { joinProviders } from '../../activities/model/model-router';
import { builtInTools } from '../../activities/tool/builtin';
import type { Tool } from '../../activities/tool/define-tool';
import { InvalidInputError } from '../../domain/kernel';
import { joinCatalogs } from '../../domain/model';
import { builtinPrompts, createRegistry, withPromptDefaults } from '../../domain/prompt';
import { parseRules } from '../../domain/tool/approval';
import { sharersCounter } from '../../temporal-config/node/activity-workers';
import { serverPlaceOnce } from '../../temporal-config/node/server-place';
import { openMcpServers } from '../mcp/mcp-servers';
import { openCommands } from '../open-commands';
import { redactorFor } from '../redact';
import type { BatonPluginOptions } from '../worker-options';

/** Baton's activities, and what has to be released when the worker has stopped. */
export interface OpenedActivities {
  readonly activities: AgentActivities;
  close(): Promise<void>;
}

/** Creates the activities of a worker. Servers and sandboxes that they use are started when they are first needed. */
export async function openActivities(options: BatonPluginOptions, namespace: string): Promise<OpenedActivities> {
  const mcp = openMcpServers(options);
  const commands = await openCommands(options.commands);
  return {
    activities: createActivities({ ...dependenciesFrom(options, namespace), mcp, commands }),
    close: async () => {
      await Promise.all([mcp.close(), commands.close()]);
    },
  };
}

/** What activities need, as far as the options say it. */
function dependenciesFrom(options: BatonPluginOptions, namespace: string): ActivityDependencies {
  const { store, client, searchAttributes = false, workspace, modelDefaults } = options;
  const registered = createRegistry([...builtinPrompts, ...(options.prompts ?? [])]).list();
  return {
    store,
    client,
    searchAttributes,
    workspace,
    modelDefaults,
    model: limitModel(joinProviders(options.model, options.providers), options.limits ?? {}, sharersCounter(client)),
    limitedModels: Object.keys(options.limits ?? {}),
    models: joinCatalogs(undefined, options.models),
    tools: distinct([...builtInTools, ...(options.tools ?? [])]),
    prompts: withPromptDefaults(registered, options.promptDefaults ?? {}),
    skills: loaderOf(options.skills),
    relays: loaderOf(options.relays),
    approve: parseRules(options.approve ?? []),
    place: serverPlaceOnce(client, namespace),
    redact: redactorFor(options.redact),
  };
}

/** Definitions that don't change are loaded like those that do. */
function loaderOf<T>(given: readonly T[] | (() => Promise<readonly T[]>) = []): () => Promise<readonly T[]> {
  return typeof given === 'function' ? given : () => Promise.resolve(given);
}

/** Rejects two tools with the same name, because a model calls tools by name. */
function distinct(tools: readonly Tool[]): readonly Tool[] {
  const names = tools.map(({ description }) => description.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return tools;
  throw new InvalidInputError('tools', `two tools are named "${twice}"`, 'Rename one of them.');
}
