import { requestToolDescription, requestToolSchema, toolRequestRule } from '../../../domain/tool';

describe('rules for requested tools', () => {
  const toolRequests = { grant: ['grep', 'shell'], deny: ['shell'] };

  test('grant, deny or leave the decision to an operator; a denial takes precedence', () => {
    expect(toolRequestRule({ toolRequests }, 'grep')).toBe('grant');
    expect(toolRequestRule({ toolRequests }, 'shell')).toBe('deny');
    expect(toolRequestRule({ toolRequests }, 'write_file')).toBeUndefined();
    expect(toolRequestRule({}, 'grep')).toBeUndefined();
  });
});

test('a request names a tool and a reason, as its description says', () => {
  expect(requestToolDescription().inputSchema['required']).toEqual(['name', 'reason']);
  expect(requestToolSchema.safeParse({ name: 'grep', reason: 'To search.' }).success).toBe(true);
  for (const wrong of [{ name: 'grep' }, { name: 'a tool', reason: 'x' }, { name: 'grep', reason: '' }, 'grep']) {
    expect(requestToolSchema.safeParse(wrong).success).toBe(false);
  }
});
