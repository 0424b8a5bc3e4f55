import { loadFolders, shippedSkills } from '../../../definitions/skill/load-skills';
import { wrongFormNotice } from '../../../domain/agent';
import { lastMessageNotice } from '../../../domain/handoff/request';
import { handoffCue, repairCue, type ScriptedCall, skillOf, skillOpenings } from '../../../testing/scripted-model';

// The scripted model does not import the domain, so it repeats these texts. If they differed, its scenarios would
// silently take another path.
describe('texts that scenarios look for', () => {
  test('are those of the requests that Baton makes', () => {
    expect(handoffCue).toBe(lastMessageNotice);
    expect(repairCue).toBe(wrongFormNotice);
  });

  test('are how the system prompts of shipped skills begin', async () => {
    const catalogue = await loadFolders([shippedSkills()]);
    for (const [name, opening] of Object.entries(skillOpenings)) {
      expect(catalogue.get(name).skill.systemPrompt.startsWith(`${opening}. `)).toBe(true);
    }
    for (const { skill } of catalogue.skills) {
      expect(skillOf({ systemText: skill.systemPrompt } as ScriptedCall)).toBe(skill.name);
    }
  });
});
