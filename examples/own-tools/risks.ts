import { defineSlice, upsertBy } from '../../workflows/extend'; // in a project of your own: 'baton/workflows'
import { riskSchema } from './risk';

/** Risks that agents find. Delegates start with those that are known already; a risk reported again replaces itself. */
export const risksSlice = defineSlice({
  name: 'risks',
  record: riskSchema,
  conflict: 'lastWrite',
  on: { riskFound: upsertBy('id') },
  summarize: (risks) => ['Risks', ...risks.map(({ id, severity, text }) => `- ${id} (${severity}): ${text}`)],
});
