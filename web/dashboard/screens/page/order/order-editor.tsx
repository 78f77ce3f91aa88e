import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MonitorGroup } from '../../../../../contract/manage/monitor-groups.js';
import type { MonitorsOverview } from '../../../../../contract/manage/overview.js';
import { screenPath } from '../../../../account/manage-paths.js';
import { useFormat } from '../../../format.js';
import { Confirm } from '../../../kit/form/confirm.js';
import { SendError } from '../../../kit/form/form.js';
import { Icon } from '../../../kit/icons.js';
import { showNotice } from '../../../kit/notice.js';
import { Panel } from '../../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendJson } from '../../../reads/fetch-json.js';
import type { ListAnswer } from '../../../reads/use-list.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { PermittedButton, ReadOnlyNote, useRefusal } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { EditGroupDialog, groupPath, NewGroupDialog } from './group-dialog.js';
import { GroupHead } from './group-head.js';
import { type Items, moveGroup, moveMonitor, placeOf } from './moves.js';
import { MonitorList, type Naming } from './order-list.js';
import { orderTexts } from './texts.js';
import { type OrderEditing, useOrder } from './use-order.js';

type Asked = { what: 'add' } | { what: 'rename' | 'remove'; group: string };

/** The groups of a page and its monitors, in an order that people change. `slug` names the page. */
export function OrderEditor({ slug }: { slug: string }) {
  const texts = useTexts(orderTexts);
  const order = useOrder(slug);
  const groups = useRead<ListAnswer<MonitorGroup>>(pagePath(slug, '/groups', { limit: '200' }));
  const [asked, setAsked] = useState<Asked>();
  const naming = useNaming(slug, groups.data);
  const finish = (): void => {
    setAsked(undefined);
    groups.retry();
    order.read.retry();
  };
  return (
    <Panel
      title={texts.title}
      note={texts.why}
      actions={
        <PermittedButton
          permission="page.write"
          class="button small"
          onClick={() => setAsked({ what: 'add' })}
        >
          <Icon name="plus" />
          {texts.add}
        </PermittedButton>
      }
    >
      <ReadOnlyNote permission="page.write" />
      <ReadView
        read={order.read}
        skeleton={<Skeleton lines={6} />}
        isEmpty={({ items }) => items.length === 1 && items[0]?.monitors.length === 0}
        empty={<NoMonitors slug={slug} />}
      >
        {(saved) => <OrderParts items={order.items ?? saved.items} {...{ order, naming }} onAsk={setAsked} />}
      </ReadView>
      {asked?.what === 'add' && (
        <NewGroupDialog
          page={slug}
          taken={groups.data?.items.map((group) => group.slug) ?? []}
          onDone={finish}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked?.what === 'rename' && (
        <EditGroupDialog page={slug} slug={asked.group} onDone={finish} onClose={() => setAsked(undefined)} />
      )}
      {asked?.what === 'remove' && (
        <RemoveGroup
          {...{ page: slug, group: asked.group, name: naming.group(asked.group) }}
          count={order.items?.find(({ group }) => group === asked.group)?.monitors.length ?? 0}
          onDone={finish}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Panel>
  );
}

function NoMonitors({ slug }: { slug: string }) {
  const texts = useTexts(orderTexts);
  const mayCreate = usePage().may('monitors.write');
  return (
    <Empty title={texts.none}>
      <p>{texts.noneWhy}</p>
      {mayCreate && (
        <a class="button" href={`${screenPath(slug, 'monitors')}?new=http`}>
          {texts.createMonitor}
        </a>
      )}
    </Empty>
  );
}

/** The names of monitors and groups; their slugs until the names are there. */
function useNaming(slug: string, groups: ListAnswer<MonitorGroup> | undefined): Naming {
  const texts = useTexts(orderTexts);
  const { data } = useRead<MonitorsOverview>(pagePath(slug, '/overview/monitors'));
  const monitorNames = new Map(data?.monitors.map((monitor) => [monitor.slug, monitor.name]));
  const groupNames = new Map(groups?.items.map((group) => [group.slug, group.name]));
  return {
    monitor: (one) => monitorNames.get(one) ?? one,
    group: (one) => (one === null ? texts.ungrouped : (groupNames.get(one) ?? one)),
  };
}

type PartsProps = { items: Items; order: OrderEditing; naming: Naming; onAsk(asked: Asked): void };

function OrderParts({ items, order, naming, onAsk }: PartsProps) {
  const mayNot = useRefusal('page.write') !== undefined;
  const [dragged, setDragged] = useState<string>();
  const { root, keepFocus } = useMovedFocus(items);
  const { moved, movedGroup } = useAnnounced(order, naming);
  return (
    <div class="order" ref={root}>
      {order.lost !== undefined && <Lost order={order} />}
      {order.error !== undefined && <SendError error={order.error} />}
      {items.map((item, at) => (
        <section key={item.group} aria-label={naming.group(item.group)}>
          {(items.length > 1 || item.group !== null) && (
            <GroupHead
              slug={item.group}
              name={naming.group(item.group)}
              isFirst={at <= 1}
              isLast={at === items.length - 1}
              actions={
                mayNot || item.group === null
                  ? undefined
                  : {
                      onMove(step) {
                        keepFocus(`[data-group="${item.group}"] [data-move="${step < 0 ? 'up' : 'down'}"]`);
                        movedGroup(items, moveGroup(items, item.group ?? '', step), item.group ?? '');
                      },
                      onRename: () => onAsk({ what: 'rename', group: item.group ?? '' }),
                      onRemove: () => onAsk({ what: 'remove', group: item.group ?? '' }),
                    }
              }
            />
          )}
          <MonitorList
            {...{ items, item, naming, dragged }}
            onDrag={setDragged}
            onMove={
              mayNot
                ? undefined
                : (slug, place, from) => {
                    setDragged(undefined);
                    if (from) keepFocus(`[data-monitor="${slug}"] [data-move="${from}"]`);
                    moved(items, moveMonitor(items, slug, place), slug);
                  }
            }
          />
        </section>
      ))}
    </div>
  );
}

/** Makes a move and, once it is saved, says what is where now, with a way back. */
function useAnnounced(order: OrderEditing, naming: Naming) {
  const texts = useTexts(orderTexts);
  const format = useFormat();
  const make = (before: Items, after: Items, text: string): void => {
    order.change(after, (etag) => {
      const undo = (): Promise<void> =>
        order.putBack(before, etag).then(
          () => showNotice(texts.undone),
          () => showNotice(texts.notUndone),
        );
      showNotice(text, () => void undo());
    });
  };
  return {
    moved(before: Items, after: Items, slug: string) {
      const place = placeOf(after, slug);
      if (place === undefined) return;
      const count = after.find(({ group }) => group === place.group)?.monitors.length ?? 0;
      const [at, of] = [format.count(place.index + 1), format.count(count)];
      make(
        before,
        after,
        texts.moved({ name: naming.monitor(slug), group: naming.group(place.group), place: at, of }),
      );
    },
    movedGroup(before: Items, after: Items, slug: string) {
      const at = after.findIndex(({ group }) => group === slug);
      const [place, of] = [format.count(at), format.count(after.length - 1)];
      make(before, after, texts.movedGroup({ name: naming.group(slug), place, of }));
    },
  };
}

/** A row that moves loses the focus, so the button that moved it gets the focus again. */
function useMovedFocus(items: Items) {
  const root = useRef<HTMLDivElement>(null);
  const next = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    if (next.current === undefined) return;
    root.current?.querySelector<HTMLElement>(next.current)?.focus();
    next.current = undefined;
  }, [items]);
  return {
    root,
    keepFocus(selector: string) {
      next.current = selector;
    },
  };
}

function Lost({ order: { takeOwn, takeTheirs } }: { order: OrderEditing }) {
  const texts = useTexts(orderTexts);
  return (
    <div class="error-notice" role="alert">
      <Icon name="warning" />
      <p>{texts.conflict}</p>
      <button type="button" class="button small" onClick={takeOwn}>
        {texts.takeOwn}
      </button>
      <button type="button" class="button small" onClick={takeTheirs}>
        {texts.takeTheirs}
      </button>
    </div>
  );
}

type RemoveProps = {
  page: string;
  group: string;
  name: string;
  count: number;
  onDone(): void;
  onClose(): void;
};

function RemoveGroup({ page, group, name, count, onDone, onClose }: RemoveProps) {
  const texts = useTexts(orderTexts);
  const confirm = async (): Promise<void> => {
    await sendJson('DELETE', groupPath(page, group));
    showNotice(texts.removed({ name }));
    onDone();
  };
  return (
    <Confirm
      title={texts.removeTitle({ name })}
      action={texts.removeAction}
      isDanger
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{texts.removeWhy({ count })}</p>
    </Confirm>
  );
}
