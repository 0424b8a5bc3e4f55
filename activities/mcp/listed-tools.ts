import { isJSONRPCResultResponse, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';

/** Field of a result's metadata under which the tools that a server lists are kept, not validated. */
export const listedToolsKey = 'baton/listedTools';

/**
 * Moves the tools that a server lists to the metadata of the result, before the client validates it: the client would
 * reject the whole list because of one invalid tool.
 */
export function keepListedTools<T extends Transport>(transport: T): T {
  let handler: Transport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    get: () => handler,
    set: (receive: Transport['onmessage']) => {
      handler = receive && ((message, extra) => receive(moved(message), extra));
    },
  });
  return transport;
}

function moved<Message extends JSONRPCMessage>(message: Message): Message {
  if (!isJSONRPCResultResponse(message)) return message;
  const { tools, _meta: meta = {} } = message.result as { readonly tools?: unknown; readonly _meta?: object };
  // The client may pass its own handler through here twice.
  if (!Array.isArray(tools) || tools.length === 0 || listedToolsKey in meta) return message;
  return { ...message, result: { ...message.result, tools: [], _meta: { ...meta, [listedToolsKey]: tools } } };
}
