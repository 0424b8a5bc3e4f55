import { modelInfo } from '../models';
import type { ServerState } from '../state';
import { findModel } from '../validate/request';
import { sendJson } from '../wire/exchange';
import type { Exchange } from '../wire/exchange';

/** Handles GET /v1/models. Returns all models on one page. */
export function listModels({ models }: ServerState, exchange: Exchange): void {
  sendJson(exchange, 200, {
    data: models.map(modelInfo),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  });
}

/** Handles GET /v1/models/:id. */
export function showModel({ models }: ServerState, exchange: Exchange, id: string): void {
  sendJson(exchange, 200, modelInfo(findModel(models, id)));
}
