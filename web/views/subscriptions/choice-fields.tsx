import { textsOf } from '../../texts/texts-of.js';

/** Services that can be chosen, with their group if they have one. */
export type ChoosableGroup = {
  group: { slug: string; name: string } | null;
  services: readonly { slug: string; name: string }[];
};

type ChoiceFieldsProps = {
  language: string;
  groups: readonly ChoosableGroup[];
  chosen: { services: readonly string[]; groups: readonly string[] } | null;
  reminders: boolean;
};

export const choiceStyle = `
.choice,.choice fieldset{text-align:start}
.choice fieldset{min-width:0;margin:0 0 1rem;padding:0;border:0}
.choice legend{padding:0;font-weight:600}
.choice label{display:flex;gap:.625rem;align-items:baseline;padding:.3rem 0;overflow-wrap:anywhere}
.choice input{flex:none;width:1.05rem;height:1.05rem;margin:0;accent-color:var(--act);transform:translateY(.15rem)}
.choice .some{margin:.25rem 0 0 1.65rem}
.choice .some ul{margin:0;padding:0;list-style:none}
.choice .some ul ul{margin-inline-start:1.65rem}
.choice .note{margin:.25rem 0 0;color:var(--soft);font-size:.875rem}
.choice .field{display:grid;gap:.25rem;margin:0 0 1.25rem}
.choice .field label{padding:0;font-weight:600}
.choice select{min-height:2.75rem;padding:.5rem .75rem;border:1px solid var(--soft);border-radius:.5rem;background:var(--card);color:var(--ink);font:inherit}
.choice input:focus-visible,.choice select:focus-visible{outline:3px solid var(--act);outline-offset:3px}
.leave{margin:.75rem 0 0}
.quiet{background:none;color:var(--soft);text-decoration:underline}
.outcome{margin:1.25rem 0 0;padding:.625rem .875rem;border-radius:.5rem}
.outcome.saved{color:var(--done);background:var(--done-ground)}
.outcome.nothingChosen{color:var(--wrong);background:var(--wrong-ground)}
`;

/**
 * Everything, or some groups and services. Works without scripts: what is ticked counts when the second radio button is
 * chosen.
 */
export function ChoiceFields({ language, groups, chosen, reminders }: ChoiceFieldsProps) {
  const phrases = textsOf('choice', language);
  return (
    <>
      <fieldset>
        <legend>{phrases.what}</legend>
        <label>
          <input type="radio" name="scope" value="all" checked={chosen === null} />
          {phrases.everything}
        </label>
        {groups.length > 0 && (
          <>
            <label>
              <input type="radio" name="scope" value="some" checked={chosen !== null} />
              {phrases.some}
            </label>
            <div class="some">
              <ul>
                {groups.map((one) => (
                  <GroupFields key={one.group?.slug ?? ''} {...one} chosen={chosen} />
                ))}
              </ul>
              <p class="note">{phrases.someNote}</p>
            </div>
          </>
        )}
      </fieldset>
      <fieldset>
        <label>
          <input type="checkbox" name="reminders" value="on" checked={reminders} />
          {phrases.reminders}
        </label>
      </fieldset>
    </>
  );
}

function GroupFields({ group, services, chosen }: ChoosableGroup & Pick<ChoiceFieldsProps, 'chosen'>) {
  const items = services.map(({ slug, name }) => (
    <li key={slug}>
      <label dir="auto">
        <input
          type="checkbox"
          name="service"
          value={slug}
          checked={chosen?.services.includes(slug) ?? false}
        />
        {name}
      </label>
    </li>
  ));
  if (group === null) return <>{items}</>;
  return (
    <li>
      <label dir="auto">
        <input
          type="checkbox"
          name="group"
          value={group.slug}
          checked={chosen?.groups.includes(group.slug) ?? false}
        />
        <strong>{group.name}</strong>
      </label>
      <ul>{items}</ul>
    </li>
  );
}
