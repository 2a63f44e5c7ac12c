// What the tabs of one account tell each other: events made, receipts that came, how sending stands.
const NAME = "workbench-desk-";

export function openChannel(account, hear) {
  if (!("BroadcastChannel" in window)) return { tell() {} };
  const channel = new BroadcastChannel(NAME + account);
  channel.onmessage = ({ data }) => hear(data);
  return { tell: (message) => channel.postMessage(message) };
}
