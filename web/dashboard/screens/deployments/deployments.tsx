import { useMemo } from 'preact/hooks';
import type { Deployment } from '../../../../contract/manage/deployments.js';
import { type Address, useAddress } from '../../address/use-address.js';
import { type Format, useFormat } from '../../format.js';
import { AnnounceCommand } from '../../kit/announce-command.js';
import { SelectField } from '../../kit/form/choices.js';
import { Icon } from '../../kit/icons.js';
import { ResourceList } from '../../kit/resource-list.js';
import type { Column } from '../../kit/table/column.js';
import { kitTexts } from '../../kit/texts.js';
import { pagePath } from '../../reads/api-path.js';
import { fromNewest, keptPart, type List, useList } from '../../reads/use-list.js';
import { usePage } from '../../session.js';
import { Screen } from '../../shell/screen.js';
import { pathOfScreen } from '../../shell/screens.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { type DeploymentsTexts, deploymentsTexts } from './texts.js';

type Name = 'service' | 'environment';

const everyMs = 30_000;

/** The versions that came to the services of the page. */
export default function Deployments() {
  const { screens } = useTexts(shellTexts);
  const texts = useTexts(deploymentsTexts);
  const { none } = useTexts(kitTexts);
  const format = useFormat();
  const { slug } = usePage();
  const { query, choose, to } = useAddress();
  const filter = { service: query['service'] || undefined, environment: query['environment'] || undefined };
  const list = useList<Deployment>(pagePath(slug, '/deployments'), { ...keptPart, filter, everyMs });
  const columns = useMemo(
    () => columnsOf({ texts, format, none, slug, to }),
    // Links keep the range of the address.
    [texts, format, none, slug, query['from'], query['to']],
  );
  const isFiltered = filter.service !== undefined || filter.environment !== undefined;
  const hasChoices = isFiltered || list.read.data?.items.length !== 0;
  return (
    <Screen title={screens.deployments}>
      <ResourceList
        {...{ list, columns, isShort: true, title: texts.list, note: texts.why, lines: 8 }}
        keyOf={({ id }) => id}
        sorting={{ key: 'came', isDescending: true }}
        tools={
          hasChoices ? (
            <>
              <Choice name="service" list={list} chosen={filter.service} />
              <Choice name="environment" list={list} chosen={filter.environment} />
            </>
          ) : undefined
        }
        empty={
          isFiltered
            ? {
                title: texts.noneFound,
                action: (
                  <button
                    type="button"
                    class="button small"
                    onClick={() => choose({ ...fromNewest, service: undefined, environment: undefined })}
                  >
                    {texts.showAll}
                  </button>
                ),
              }
            : { title: texts.none, why: texts.noneWhy, action: <AnnounceCommand /> }
        }
      />
    </Screen>
  );
}

type ChoiceProps = { name: Name; list: List<Deployment>; chosen: string | undefined };

/** Narrows the list to one of the names in it; the service does so, among all deployments. */
function Choice({ name, list, chosen }: ChoiceProps) {
  const texts = useTexts(deploymentsTexts);
  const { choose } = useAddress();
  const names = (list.read.data?.items ?? []).flatMap((item) => item[name] ?? []);
  const options = [...new Set([...(chosen === undefined ? [] : [chosen]), ...names])].sort();
  return (
    <SelectField
      label={texts[name]}
      value={chosen ?? ''}
      options={[{ value: '', title: texts.all }, ...options.map((value) => ({ value, title: value }))]}
      onChoose={(value) => choose({ ...fromNewest, [name]: value })}
    />
  );
}

type Words = { texts: DeploymentsTexts; format: Format; none: string; slug: string; to: Address['to'] };

function columnsOf({ texts, format, none, slug, to }: Words): Column<Deployment>[] {
  return [
    {
      ...{ key: 'came', title: texts.came, value: ({ at }) => Date.parse(at), text: ({ at }) => at },
      cell: ({ at }) => (
        <time dateTime={at} title={format.full(Date.parse(at))}>
          {format.moment(Date.parse(at))}
        </time>
      ),
    },
    {
      ...{ key: 'service', title: texts.service, value: ({ service }) => service },
      cell: ({ service }) => (
        <a class="row-link" href={to(pathOfScreen(slug, 'traffic'), { service })}>
          {service}
        </a>
      ),
    },
    { key: 'version', title: texts.version, value: ({ version }) => version },
    {
      ...{ key: 'environment', title: texts.environment, isMinor: true },
      value: ({ environment }) => environment,
      cell: ({ environment }) => environment ?? none,
    },
    { key: 'how', title: texts.how, isMinor: true, value: (row) => howOf(row, texts) },
    {
      ...{ key: 'link', title: texts.link, value: ({ url }) => url },
      cell: ({ url, service, version }) =>
        url === null ? (
          none
        ) : (
          <a href={url} aria-label={texts.open({ service, version })}>
            <Icon name="external" />
          </a>
        ),
    },
  ];
}

function howOf({ announcedAt, firstSeenAt }: Deployment, texts: DeploymentsTexts): string {
  if (announcedAt === null) return texts.firstSeen;
  return firstSeenAt === null ? texts.announcedUnseen : texts.announced;
}
