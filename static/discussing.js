// The passages that the assessors of a pair marked, shown in its document.
import { Passages } from "./adjudicating_passages.js";

new Passages(document.querySelector(".discussing"));
