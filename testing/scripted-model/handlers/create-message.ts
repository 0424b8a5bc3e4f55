import type { ServerState } from '../state';
import { parseJson } from '../validate/parse';
import { validateMessageRequest } from '../validate/request';
import { buildMessage } from '../wire/build-message';
import { messageReply } from '../wire/events';
import { type Exchange, readBody } from '../wire/exchange';
import { answerCall, type AnsweringApi } from './answer-call';

/** Handles POST /v1/messages. */
export async function createMessage(state: ServerState, exchange: Exchange): Promise<void> {
  const body = await readBody(exchange);
  const request = validateMessageRequest(state, state.messages.share(parseJson(body)));
  await answerCall(state, exchange, state.log.record(request, body), messagesApi(state));
}

function messagesApi(state: ServerState): AnsweringApi {
  return {
    toolIdPrefix: 'toolu_',
    count: (prompt) => state.cache.use(prompt),
    build: ({ request }, { identity, finished, usage, ttl, prompt }) => {
      const id = `msg_${identity.slice(0, 24)}`;
      const built = buildMessage(id, request.model, finished, { ...usage, ttl }, prompt.end);
      if (built.message.stop_reason === 'pause_turn') state.paused.add(built.end.digest);
      return messageReply(built);
    },
  };
}
