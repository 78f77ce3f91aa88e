import type { ManagedPage } from '../../../../contract/manage/pages.js';
import { useAddress } from '../../address/use-address.js';
import { Icon } from '../../kit/icons.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import { Tabs } from '../../kit/tabs.js';
import { pagePath } from '../../reads/api-path.js';
import { useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { AddressTab } from './address/address-tab.js';
import { Badges } from './badges/badges.js';
import { DangerZone } from './danger/danger-zone.js';
import { Figures } from './figures/figures.js';
import { Languages } from './languages/languages.js';
import { Looks } from './looks/looks.js';
import { OrderEditor } from './order/order-editor.js';
import { Readers } from './readers/readers.js';
import { pageTexts } from './texts.js';
import { Traces } from './traces/traces.js';
import type { PageRead } from './use-page-editor.js';

const parts = [
  ...(['looks', 'order', 'figures', 'languages', 'address', 'readers'] as const),
  ...(['badges', 'traces', 'danger'] as const),
];
type Part = (typeof parts)[number];

/** The settings of the public page and of its address. */
export default function Page() {
  const shell = useTexts(shellTexts);
  const texts = useTexts(pageTexts);
  const { slug } = usePage();
  const { query } = useAddress();
  const read = useRead<ManagedPage>(pagePath(slug, ''));
  const part = parts.find((one) => one === query['part']) ?? 'looks';
  const url = read.data?.url;
  return (
    <Screen
      title={shell.screens.page}
      actions={
        url !== undefined && (
          <a class="button small" href={url} target="_blank" rel="noreferrer">
            {texts.open}
            <Icon name="external" />
          </a>
        )
      }
    >
      <Tabs
        label={shell.screens.page}
        parameter="part"
        tabs={parts.map((key) => ({ key, title: texts.parts[key] }))}
        current={part}
      />
      <ReadView read={read} skeleton={<Skeleton height={420} />}>
        {(page) => <PartOf part={part} page={page} read={read} />}
      </ReadView>
    </Screen>
  );
}

function PartOf({ part, ...settings }: PageRead & { part: Part }) {
  if (part === 'order') return <OrderEditor slug={settings.page.slug} />;
  if (part === 'figures') return <Figures {...settings} />;
  if (part === 'languages') return <Languages {...settings} />;
  if (part === 'address') return <AddressTab {...settings} />;
  if (part === 'readers') return <Readers {...settings} />;
  if (part === 'badges') return <Badges {...settings} />;
  if (part === 'traces') return <Traces {...settings} />;
  if (part === 'danger') return <DangerZone {...settings} />;
  return <Looks {...settings} />;
}
