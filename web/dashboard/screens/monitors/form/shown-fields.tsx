import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import { monitorLimits } from '../../../../../contract/monitors.js';
import { Switch } from '../../../kit/form/choices.js';
import { TextField } from '../../../kit/form/field.js';
import type { FormState } from '../../../kit/form/use-form.js';
import { useLanguageName } from '../../../kit/language-name.js';
import { pagePath } from '../../../reads/api-path.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { Fold } from './fold.js';
import { formTexts } from './texts.js';
import type { MonitorValues } from './values.js';

type PartProps = { form: FormState<MonitorValues> };

const folded = ['description', 'descriptions', 'link', 'names', 'hidden'];

/** Fields that readers of the page see, besides the name. */
export function ShownFields({ form }: PartProps) {
  const { values, errors, set, refusals } = form;
  const texts = useTexts(formTexts);
  return (
    <Fold
      title={texts.shown}
      note={texts.shownNote}
      isOpened={folded.some((field) => errors[field] !== undefined)}
      refusals={refusals}
    >
      <TextField
        label={texts.description}
        hint={texts.descriptionWhy}
        error={errors['description']}
        value={values.description}
        onInput={set('description')}
        input={{ dir: 'auto', maxLength: monitorLimits.descriptionChars, autocomplete: 'off' }}
      />
      <TextField
        label={texts.link}
        hint={texts.linkWhy}
        error={errors['link']}
        value={values.link}
        onInput={set('link')}
        input={{ inputMode: 'url', spellcheck: false, autocomplete: 'off' }}
      />
      <OtherLanguages form={form} />
      <Switch label={texts.hide} hint={texts.hideWhy} isOn={values.hidden} onSwitch={set('hidden')} />
    </Fold>
  );
}

/** Name and description in each other language of the page. */
function OtherLanguages({ form: { values, errors, set } }: PartProps) {
  const { slug } = usePage();
  const nameOf = useLanguageName();
  const texts = useTexts(formTexts);
  const { data } = useRead<ManagedPage>(pagePath(slug, ''));
  if (data === undefined) return null;
  const others = data.languages.filter((tag) => tag !== data.defaultLanguage);
  return (
    <>
      {others.map((tag) => (
        <TextField
          key={tag}
          label={texts.nameIn({ language: nameOf(tag) })}
          hint={texts.nameInWhy}
          error={errors['names']}
          value={values.names[tag] ?? ''}
          onInput={(name) => set('names')(withText(values.names, tag, name))}
          input={{ dir: 'auto', maxLength: 200 }}
        />
      ))}
      {others.map((tag) => (
        <TextField
          key={tag}
          label={texts.descriptionIn({ language: nameOf(tag) })}
          error={errors['descriptions']}
          value={values.descriptions[tag] ?? ''}
          onInput={(text) => set('descriptions')(withText(values.descriptions, tag, text))}
          input={{ dir: 'auto', maxLength: monitorLimits.descriptionChars }}
        />
      ))}
    </>
  );
}

/** Texts by language; one that is empty is left out. */
function withText(
  texts: Readonly<Record<string, string>>,
  tag: string,
  text: string,
): Record<string, string> {
  const { [tag]: _, ...others } = texts;
  return text === '' ? others : { ...others, [tag]: text };
}
