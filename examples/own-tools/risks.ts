import { defineSlice, upsertBy } from '../../workflows/extend'; // in your own project: 'baton-agents/workflows'
import { riskSchema } from './risk';

/**
 * The risks that agents find. Delegations start with the risks that are already known; reporting a risk again replaces
 * it.
 */
export const risksSlice = defineSlice({
  name: 'risks',
  record: riskSchema,
  conflict: 'lastWrite',
  on: { riskFound: upsertBy('id') },
  summarize: (risks) => ['Risks', ...risks.map(({ id, severity, text }) => `- ${id} (${severity}): ${text}`)],
});
