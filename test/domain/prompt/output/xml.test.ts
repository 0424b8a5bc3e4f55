import fc from 'fast-check';
import { checkOutput, type OutputFormat } from '../../../../domain/prompt/output';
import { plan, respond, step, violationIn } from './support';

const escaped = (text: string): string =>
  text.replace(/[<>&\r]/g, (character) => `&#${character.codePointAt(0) ?? 0};`);

describe('an answer in XML', () => {
  test('is accepted in <response>, and its content is returned unchanged', () => {
    const inner = `<plan>\n  <goal>a &lt; b</goal>\n  ${step}\n  <step><id>s2</id><after>s1</after></step>\n</plan>`;
    expect(checkOutput(plan, `<response>\n${inner}\n</response>\n`)).toEqual({
      ok: true,
      value: {
        goal: 'a < b',
        step: [
          { id: 's1', after: [] },
          { id: 's2', after: ['s1'] },
        ],
      },
      text: inner,
    });
  });

  test('may have its fields in any order, empty ones, and text in CDATA', () => {
    const inside = `${step}<risk/><goal><![CDATA[if (a < b && c) {}]]> &#x1f600;</goal>`;
    expect(checkOutput(plan, respond(inside))).toMatchObject({
      ok: true,
      value: { goal: 'if (a < b && c) {} 😀', risk: '' },
    });
  });

  test.each([
    ['a word before it', `Here: ${respond(`<goal>g</goal>${step}`)}`, /begins with "Here: .*nothing before it/],
    ['a word after it', `${respond(`<goal>g</goal>${step}`)} Any questions?`, /ends with ".*Any questions\?"/],
    ['a second one', respond(`<goal>g</goal>${step}`).repeat(2), /only one root/],
    ['a code fence', `\`\`\`xml\n${respond(`<goal>g</goal>${step}`)}\n\`\`\``, /code fence/],
    ['a declaration', `<?xml version="1.0"?>${respond(`<goal>g</goal>${step}`)}`, /begins with/],
    ['no <response> around it', `<plan><goal>g</goal>${step}</plan>`, /exactly one `<response>`/],
    ['nothing in it', '<response></response>', /^response: <plan> is missing/],
    ['another root', '<response><list>x</list></response>', /^response: unknown element <list>. Use only <plan>/],
    ['two roots', '<response><plan/><plan/></response>', /^response: <plan> occurs 2 times/],
    ['a missing field', respond(step), /^response\/plan: <goal> is missing/],
    ['a missing list', respond('<goal>g</goal>'), /^response\/plan: <step> is missing/],
    ['a field twice', respond(`<goal>g</goal><goal>h</goal>${step}`), /<goal> occurs 2 times/],
    [
      'a field nobody asked for',
      respond(`<goal>g</goal><step><id>1</id></step><step><id>2</id><x/></step>`),
      /^response\/plan\/step\[2\]: unknown element <x>. Use only <id>, <after>/,
    ],
    ['markup in text', respond(`<goal>use <b>this</b></goal>${step}`), /goal: it may contain only text.*<b>.*&lt;/],
    ['text outside of fields', respond(`So: <goal>g</goal>${step}`), /plan: text outside its elements: "So:"/],
    ['text beside the root', `<response>So<plan><goal>g</goal>${step}</plan></response>`, /^response: text outside/],
    ['an attribute', respond(`<goal kind="x">g</goal>${step}`), /^line 1: the attribute "kind"/],
    ['a comment', respond(`<goal>g</goal><!-- once -->${step}`), /a comment is not allowed/],
    ['a tag that is not closed', respond(`<goal>g${step}`), /well-formed/],
    ['a bare <', respond(`<goal>\na < b</goal>${step}`), /^line 2: it is not well-formed XML.*&lt;/],
    ['a bare &', respond(`<goal>R & D</goal>${step}`), /"& D.*is not an entity.*&amp;/],
    ['names in capitals', respond(`<Goal>g</Goal>${step}`), /unknown element <Goal>/],
  ])('is refused with %s, and the violation names the problem and its place', (_, text, expected) => {
    expect(violationIn(plan, text)).toMatch(expected);
  });

  test('preserves every text that was escaped properly', () => {
    // XML does not allow most control characters, whichever way they are written.
    const allowed = fc
      .string({ unit: 'grapheme' })
      .filter((text) => !/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text));
    fc.assert(
      fc.property(allowed, fc.array(allowed, { minLength: 1, maxLength: 4 }), (goal, ids) => {
        const steps = ids.map((id) => `<step><id>${escaped(id)}</id></step>`).join('');
        const value = { goal, step: ids.map((id) => ({ id, after: [] })) };
        expect(checkOutput(plan, respond(`<goal>${escaped(goal)}</goal>${steps}`))).toMatchObject({ ok: true, value });
      }),
    );
  });

  test('is refused if any tag is missing or repeated', () => {
    const whole = respond(`<goal>g</goal>${step}`);
    const tags = [...whole.matchAll(/<[^>]+>/g)].map(({ 0: tag, index }) => ({ tag, index }));
    fc.assert(
      fc.property(fc.constantFrom(...tags), fc.boolean(), ({ tag, index }, twice) => {
        const changed = `${whole.slice(0, index)}${twice ? tag + tag : ''}${whole.slice(index + tag.length)}`;
        expect(checkOutput(plan, changed).ok).toBe(false);
      }),
    );
  });

  test('may have fields with the names of object properties', () => {
    const odd: OutputFormat = { xml: { root: '__proto__', fields: [{ name: 'constructor' }, { name: '__proto__' }] } };
    const inner = '<__proto__><constructor>a</constructor><__proto__>b</__proto__></__proto__>';
    const checked = checkOutput(odd, `<response>${inner}</response>`);
    expect(checked).toMatchObject({ ok: true, text: inner });
    expect(checked.ok && JSON.stringify(checked.value)).toBe('{"constructor":"a","__proto__":"b"}');
    expect(violationIn(odd, '<response></response>')).toMatch(/__proto__> is missing/);
  });
});
