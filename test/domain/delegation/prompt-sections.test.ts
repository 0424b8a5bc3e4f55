import { subagentsSection } from '../../../domain/delegation/prepare';

test('the section on parallel subagents says that parallel work is dispatched and needs recap lines, and lists only its tool', () => {
  const { template, tools, acceptsOverrides = false, children = [] } = subagentsSection();
  expect(template).toMatch(/parallel.*`dispatch_subagents`|`dispatch_subagents`.*parallel/is);
  expect(template).toMatch(/recap/i);
  expect({ tools, acceptsOverrides, children }).toEqual({
    tools: ['dispatch_subagents'],
    acceptsOverrides: false,
    children: [],
  });
});
