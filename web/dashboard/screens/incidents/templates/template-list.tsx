import { useMemo } from 'preact/hooks';
import type { Template } from '../../../../../contract/manage/incidents/templates.js';
import { useAddress } from '../../../address/use-address.js';
import { type Format, useFormat } from '../../../format.js';
import { Icon } from '../../../kit/icons.js';
import { ResourceList } from '../../../kit/resource-list.js';
import { type Column, timeColumn } from '../../../kit/table/column.js';
import { usePage } from '../../../session.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { type TemplatesTexts, templatesTexts } from './texts.js';
import { useTemplates } from './use-templates.js';

/** Every template of the page. */
export function TemplateList() {
  const texts = useTexts(templatesTexts);
  const format = useFormat();
  const { choose, path, to } = useAddress();
  const mayUse = usePage().may('incidents.write');
  const read = useTemplates();
  const add = (
    <PermittedButton
      permission="incidents.write"
      class="button small"
      onClick={() => choose({ new: 'template', template: undefined })}
    >
      <Icon name="plus" />
      {texts.newTemplate}
    </PermittedButton>
  );
  const isEmpty = read.data?.items.length === 0;
  const columns = useMemo(
    () =>
      columnsOf(texts, format, {
        edit: (template) => to(path, { view: 'templates', template: template.slug }),
        use: mayUse ? (template) => to(path, { new: template.type, template: template.slug }) : undefined,
      }),
    [texts, format, path, mayUse],
  );
  return (
    <ResourceList
      {...{ list: { read }, columns, title: texts.templates, note: texts.templatesWhy, lines: 6 }}
      addressKey="templates"
      keyOf={({ slug }) => slug}
      sorting={{ key: 'name', isDescending: false }}
      {...(!isEmpty && { actions: add })}
      empty={{ title: texts.none, why: texts.noneWhy, action: add }}
    />
  );
}

type Links = {
  edit(template: Template): string;
  /** Absent for those who may not open incidents. */
  use: ((template: Template) => string) | undefined;
};

function columnsOf(texts: TemplatesTexts, format: Format, { edit, use }: Links): Column<Template>[] {
  const columns: Column<Template>[] = [
    {
      ...{ key: 'name', title: texts.name, value: ({ name }: Template) => name },
      cell: (template) => (
        <a href={edit(template)} dir="auto">
          {template.name}
        </a>
      ),
    },
    { key: 'type', title: texts.type, value: ({ type }) => texts.types[type] },
    {
      ...{ key: 'title', title: texts.title, isMinor: true, value: ({ title }: Template) => title || null },
      cell: ({ title }) => <span dir="auto">{title}</span>,
    },
    {
      ...{ key: 'updates', title: texts.updates, isFigure: true, isMinor: true },
      value: ({ updates }) => updates.length,
    },
    {
      ...{ key: 'languages', title: texts.languages, isMinor: true },
      value: (template) => Object.keys(template.texts).join(', ') || null,
    },
    timeColumn({
      ...{ key: 'changed', title: texts.changed, timeOf: ({ updatedAt }) => updatedAt },
      say: (at) => (
        <time dateTime={new Date(at).toISOString()} title={format.full(at)}>
          {format.moment(at)}
        </time>
      ),
    }),
  ];
  if (use === undefined) return columns;
  return [
    ...columns,
    {
      ...{ key: 'use', title: texts.useShort, isPicture: true, value: () => null },
      cell: (template) => (
        <a class="button small" href={use(template)} aria-label={texts.useOf({ name: template.name })}>
          {texts.useShort}
        </a>
      ),
    },
  ];
}
