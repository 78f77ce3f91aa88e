import { useEffect, useRef } from 'preact/hooks';
import type { IncidentType } from '../../../../../contract/incidents.js';
import type { Template } from '../../../../../contract/manage/incidents/templates.js';
import { SelectField } from '../../../kit/form/choices.js';
import { useTexts } from '../../../texts.js';
import { templatesTexts } from './texts.js';
import { useTemplates } from './use-templates.js';

type TemplateChoiceProps = {
  /** Only templates of this type can be chosen. */
  type: IncidentType;
  /** Slug of the one that the texts come from; undefined for none. */
  value: string | undefined;
  /** Slug of the one that a link names: it is chosen once, as soon as the templates are there. */
  named: string | undefined;
  /** Gets the whole template; undefined for none. */
  onChoose(template: Template | undefined): void;
};

/** A field that chooses a template; nothing while the page has none of the type. */
export function TemplateChoice({ type, value, named, onChoose }: TemplateChoiceProps) {
  const texts = useTexts(templatesTexts);
  const { data } = useTemplates();
  const fitting = (data?.items ?? []).filter((template) => template.type === type);
  const wanted = fitting.find(({ slug }) => slug === named);
  const isFollowed = useRef(false);
  useEffect(() => {
    if (wanted === undefined || isFollowed.current) return;
    isFollowed.current = true;
    onChoose(wanted);
  }, [wanted]);
  if (fitting.length === 0) return null;
  const byName = fitting.toSorted((a, b) => a.name.localeCompare(b.name));
  const none = { value: '', title: texts.noTemplate };
  const options = [none, ...byName.map(({ slug, name }) => ({ value: slug, title: name }))];
  return (
    <SelectField
      label={texts.fromTemplate}
      options={options}
      value={fitting.some(({ slug }) => slug === value) ? (value ?? '') : ''}
      onChoose={(chosen) => onChoose(fitting.find(({ slug }) => slug === chosen))}
    />
  );
}
