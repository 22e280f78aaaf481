import "./style.css";
import { makeRodView } from "./draw/rod_view";

const canvas = document.createElement("canvas");
document.getElementById("app")!.append(canvas);
const view = makeRodView(canvas);
view.draw();
